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
 * What would end the process. Seen in @colyseus/core 0.18.17: it makes a `Request` of scheme, host and path, and where that
 * throws nothing catches it. Replaces a scheme that is neither http nor https: two proxies in a row write `https, http`.
 */
export const fatalFault = ({ method = '', headers }: IncomingMessage): HttpFault | undefined => {
  const scheme = headers['x-forwarded-proto'];
  if (scheme !== undefined) headers['x-forwarded-proto'] = /^\s*(https|wss)\b/i.test(String(scheme)) ? 'https' : 'http';
  if (/^(?:TRACE|TRACK|CONNECT)$/.test(method)) return { status: 405, code: 'request/method' };
  // `1.2.3.999` and port 99999 have the form of a host, and are none.
  const isHost = headers.host === undefined || (HOST.test(headers.host) && URL.canParse(`http://${headers.host}`));
  return isHost ? undefined : { status: 400, code: 'request/host' };
};

/** What is wrong with the frame of a request, before anything reads what it asks for. A game's own routes judge theirs. */
export const faultOf = (request: IncomingMessage, bounds: HttpBounds, hasOwnRoutes = false): HttpFault | undefined => {
  const { method = '', url = '', headers } = request;
  const fatal = fatalFault(request);
  if (fatal || (hasOwnRoutes && !isJoin(url))) return fatal;
  if (!METHODS.includes(method)) return { status: 405, code: 'request/method' };
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
