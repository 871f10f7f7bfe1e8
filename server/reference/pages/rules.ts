import { createHash } from 'node:crypto';
import type { Application } from 'express';
import type { Catalogue } from '../../../shared/pets/catalogue.ts';

/** `GET /rules.json`: what foods and cards there are and what they do, for any client on any host. Nothing of a player. */
export const addRules = (app: Application, { species, foods, cards, levels, limits }: Catalogue): void => {
  const body = JSON.stringify({ species, foods, cards, levels, limits });
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  app.get('/rules.json', (_request, response) => {
    response.set({ 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*', ETag: etag });
    response.type('json').send(body);
  });
};
