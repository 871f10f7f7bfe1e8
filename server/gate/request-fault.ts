import type { IncomingMessage } from 'node:http';

export interface HttpBounds {
  /** Bytes of: the body of a sign-in or join, any other body, the URL. */
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
 * Finds requests that would end the process. @colyseus/core 0.18.17 makes a `Request` of scheme, host and path, and
 * nothing catches its errors. Replaces other schemes than http and https: two proxies in a row write `https, http`.
 */
export const fatalFault = ({ method = '', url = '', headers }: IncomingMessage): HttpFault | undefined => {
  const scheme = headers['x-forwarded-proto'];
  if (scheme !== undefined) headers['x-forwarded-proto'] = /^\s*(https|wss)\b/i.test(String(scheme)) ? 'https' : 'http';
  if (/^(?:TRACE|TRACK|CONNECT)$/.test(method)) return { status: 405, code: 'request/method' };
  // `1.2.3.999` and port 99999 match the pattern of a host, but are invalid.
  const isHost = headers.host === undefined || (HOST.test(headers.host) && URL.canParse(`http://${headers.host}`));
  if (!isHost) return { status: 400, code: 'request/host' };
  // Of a proxy: `GET http://...`, or `*`.
  return url.startsWith('/') ? undefined : { status: 400, code: 'request/url' };
};

/** The fault of a request's head, before its content is read. A game's own routes check theirs. */
export const faultOf = (request: IncomingMessage, bounds: HttpBounds, hasOwnRoutes = false): HttpFault | undefined => {
  const { method = '', url = '', headers } = request;
  const fatal = fatalFault(request);
  if (fatal || (hasOwnRoutes && !isJoin(request))) return fatal;
  if (!METHODS.includes(method)) return { status: 405, code: 'request/method' };
  if (url.length > bounds.urlBytes) return { status: 414, code: 'request/url' };
  if (!isPath(url)) return { status: 400, code: 'request/url' };
  // Without a length the size of the body cannot be checked in advance.
  if (headers['transfer-encoding'] !== undefined) return { status: 411, code: 'request/length' };
  const most = isJoin(request) || isSignIn(url) ? bounds.playerBody : bounds.anyBody;
  return Number(headers['content-length'] ?? 0) > most ? { status: 413, code: 'request/body' } : undefined;
};

/** Colyseus' router resolves the path as a URL (`/x/../matchmake/`), and may have a `basePath` before it. */
export const isJoin = ({ method, url = '' }: IncomingMessage): boolean => method === 'POST' && JOIN.test(pathOf(url));
/** Express matches the path as it was sent, in any case. */
export const isSignIn = (url: string): boolean => SIGN_IN.test(url) || SIGN_IN.test(pathOf(url));

const JOIN = /\/matchmake\/[^/]+\/[^/]+\/?$/;
const SIGN_IN = /^\/auth\//i;
/** Concatenated: `new URL('//a/b', base)` would take `a` for the host. */
const pathOf = (url: string): string => new URL(`http://host${url}`).pathname;

/** Also checks that no part is the name of a property that every object has. */
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
 * Reads a body of checked length, whatever its declared type: an object, `{}` if it is empty. Undefined if it is no
 * JSON object. Never resolves if the client goes away; then the server's own time-out ends the request.
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
