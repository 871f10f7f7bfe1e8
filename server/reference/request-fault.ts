import type { IncomingMessage } from 'node:http';

export interface HttpBounds {
  /** Bytes: of the body of a sign-in or a join, of any other body, of the URL. */
  readonly playerBody: number;
  readonly anyBody: number;
  readonly urlBytes: number;
}

export interface HttpFault {
  readonly status: number;
  readonly code: string;
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'OPTIONS'];
const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * What is wrong with the frame of a request, before anybody looks at what it asks for. Behind this gate Colyseus makes a
 * URL of host and path, and a process in which that fails ends.
 */
export const faultOf = (request: IncomingMessage, bounds: HttpBounds): HttpFault | undefined => {
  const { method = '', url = '', headers } = request;
  if (!METHODS.includes(method)) return { status: 405, code: 'request/method' };
  if (headers.host !== undefined && !HOST.test(headers.host)) return { status: 400, code: 'request/host' };
  if (url.length > bounds.urlBytes) return { status: 414, code: 'request/url' };
  if (!isPath(url)) return { status: 400, code: 'request/url' };
  // Without a length nobody knows when it is too long.
  if (headers['transfer-encoding'] !== undefined) return { status: 411, code: 'request/length' };
  const most = isPlayers(url) ? bounds.playerBody : bounds.anyBody;
  return Number(headers['content-length'] ?? 0) > most ? { status: 413, code: 'request/body' } : undefined;
};

export const isJoin = (url: string): boolean => url.startsWith('/matchmake/');
export const isSignIn = (url: string): boolean => url.startsWith('/auth/');

const isPlayers = (url: string): boolean => isJoin(url) || isSignIn(url);

/** Also: no part of it is the name of something that every object has. */
const isPath = (url: string): boolean => {
  const [path = ''] = url.split(/[?#]/, 1);
  if (!path.startsWith('/') || path.includes('\\')) return false;
  try {
    return decodeURIComponent(path)
      .split('/')
      .every((part) => !(part in Object.prototype));
  } catch {
    return false;
  }
};

/**
 * Reads a body whose length was checked, whatever type it claims to have: an object, `{}` when there is none. Undefined
 * when it is no JSON object. Never ends for a client that goes away; the server's own time-out ends the request then.
 */
export const readObject = (request: IncomingMessage): Promise<object | undefined> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => resolve(objectIn(Buffer.concat(chunks).toString('utf8'))));
  });

const objectIn = (text: string): object | undefined => {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
