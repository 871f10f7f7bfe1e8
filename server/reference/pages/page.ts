import type { Application, Request, Response } from 'express';
import { type PageFile, readPage } from './page-files.ts';

export interface PageOptions {
  /** Where it is served: `/`, `/ops/`. */
  readonly at: string;
  /** The folder that its build made. */
  readonly folder: string;
  /** Sockets may lead to other processes than the one that served the page. */
  readonly hasOtherHosts: boolean;
}

/** Serves a built page: its files and nothing else, no data. Where it was not built it says how that is done. */
export const addPage = (app: Application, { at, folder, hasOtherHosts }: PageOptions): void => {
  const files = readPage(folder);
  const policy = contentPolicy(hasOtherHosts);
  app.get(at, (request, response) => {
    response.set({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' });
    const index = files?.get('index.html');
    if (index) send(request, response, index);
    else response.set('Cache-Control', 'no-store').type('html').send(notBuilt);
  });
  for (const [name, file] of files ?? []) {
    app.get(at + name, (request, response) => send(request, response, file));
  }
};

/** Scripts and styles come from here alone, none stands in the page itself. */
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
<p>The page was not built here: <code>npm start</code> builds it. Clients of the game need none of it.</p>
</html>
`;
