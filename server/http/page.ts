import path from 'node:path';
import type { IRouter, Request, Response } from 'express';
import { type PageFile, readPage } from './page-files.ts';

export interface PageOptions {
  /** The folder of the built page. */
  readonly folder: string;
  /** Sockets may go to other processes than the one that served the page. */
  readonly hasOtherHosts: boolean;
}

/**
 * Serves a built page at the root of an app or router: only its files, no data. If it was not built, it says how to
 * build it.
 */
export const addPage = (router: Pick<IRouter, 'get'>, { folder, hasOtherHosts }: PageOptions): void => {
  const files = readPage(folder);
  const policy = contentPolicy(hasOtherHosts);
  router.get('/', (request, response) => {
    const [asked = ''] = request.originalUrl.split('?', 1);
    // File names are relative to the page, wherever a game or proxy has put it.
    if (!asked.endsWith('/')) return response.redirect(301, `${path.posix.basename(asked)}/`);
    response.set({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' });
    const index = files?.get('index.html');
    if (index) send(request, response, index);
    else response.set('Cache-Control', 'no-store').type('html').send(notBuilt);
  });
  for (const [name, file] of files ?? []) {
    router.get(`/${name}`, (request, response) => send(request, response, file));
  }
};

/** Scripts and styles come only from here; the page itself contains none. */
const contentPolicy = (hasOtherHosts: boolean): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${hasOtherHosts ? ' ws: wss:' : ''}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const send = (request: Request, response: Response, file: PageFile): void => {
  response.set({
    'Content-Type': file.type,
    'Cache-Control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    ETag: file.etag,
    Vary: 'Accept-Encoding',
  });
  const isZipped = file.gzip !== undefined && request.acceptsEncodings('gzip') === 'gzip';
  if (isZipped) response.set('Content-Encoding', 'gzip');
  response.send(isZipped ? file.gzip : file.body);
};

const notBuilt = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Kibble</title>
<h1>Kibble is running</h1>
<p>The page is not beside the code. In a clone <code>npm start</code> builds it; a bundler has to leave the package
<code>colyseus-kibble</code> out (<code>external</code>). Clients of the game need none of it.</p>
</html>
`;
