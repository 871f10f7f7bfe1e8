import { createHash } from 'node:crypto';
import type { Application } from 'express';
import type { Catalogue } from '../../../shared/pets/catalogue.ts';
import type { WorksCatalogue } from '../../../shared/works/rules-file.ts';

/** `GET /rules.json`: what foods and cards there are and what they do, for any client on any host. Nothing of a player. */
export const addRules = (app: Application, { species, foods, cards, levels, limits }: Catalogue): void =>
  tell(app, '/rules.json', { species, foods, cards, levels, limits });

/** `GET /works.json`: what works do, by the module's name; a path of its own, since readers of the other are strict. */
export const addWorksRules = (app: Application, works: Readonly<Record<string, WorksCatalogue>>): void =>
  tell(app, '/works.json', works);

const tell = (app: Application, path: string, rules: object): void => {
  const body = JSON.stringify(rules);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  app.get(path, (_request, response) => {
    response.set({ 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*', ETag: etag });
    response.type('json').send(body);
  });
};
