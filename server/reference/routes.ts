import { createHash } from 'node:crypto';
import type { Application } from 'express';
import type { Catalogue } from '../../shared/pets/catalogue.ts';
import type { WorksCatalogue } from '../../shared/works/rules-file.ts';
import { addPage } from '../http/page.ts';

export interface ProbedHealth {
  /** What works worse than it should; undefined: not ready (Postgres, migrations, draining). Never throws. */
  degraded(): Promise<readonly string[] | undefined>;
}

export interface GuestTokens {
  /** Undefined: there are no guests here. */
  signGuest(): Promise<string | undefined>;
}

export interface RoutesOptions {
  readonly health: ProbedHealth;
  readonly tokens: GuestTokens;
  readonly catalogue: Catalogue;
  /** Rules of works by the module's name. */
  readonly works: Readonly<Record<string, WorksCatalogue>>;
  /** The folder of the playable page, as it was built. */
  readonly page: string;
  /** Players may be sent to other addresses than the one of the page. */
  readonly hasOtherHosts: boolean;
}

/** What tells whether the process lives, and whether it can serve. */
export const addProbes = (app: Application, health: ProbedHealth): void => {
  app.disable('x-powered-by');

  // That it responds at all says that the event loop turns.
  app.get('/livez', (_request, response) => {
    response.json({ alive: true });
  });

  app.get('/readyz', async (_request, response) => {
    const degraded = await health.degraded();
    response.status(degraded ? 200 : 503).json(degraded ? { ready: true, degraded } : { ready: false });
  });
};

/** What is served over HTTP beside Colyseus' own routes. */
export const addRoutes = (app: Application, options: RoutesOptions): void => {
  const { health, tokens, catalogue, works, page, hasOtherHosts } = options;
  addProbes(app, health);

  // What the SDK's `auth.signInAnonymously()` calls. Nothing of the request is read: a client has no say in who it is.
  app.post('/auth/anonymous', async (_request, response) => {
    const token = await tokens.signGuest();
    if (token === undefined) response.status(403).json({ error: 'auth/no-guests' });
    else response.json({ user: { anonymous: true }, token });
  });

  addRules(app, catalogue);
  addWorksRules(app, works);
  addPage(app, { folder: page, hasOtherHosts });
};

/** `GET /rules.json`: what foods and cards there are and what they do, for any client on any host. Nothing of a player. */
export const addRules = (app: Application, { species, foods, cards, levels, limits }: Catalogue): void =>
  serve(app, '/rules.json', { species, foods, cards, levels, limits });

/** `GET /works.json`: what works do, by the module's name; a path of its own, since readers of the other are strict. */
export const addWorksRules = (app: Application, works: Readonly<Record<string, WorksCatalogue>>): void =>
  serve(app, '/works.json', works);

const serve = (app: Application, path: string, rules: object): void => {
  const body = JSON.stringify(rules);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  app.get(path, (_request, response) => {
    response.set({ 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*', ETag: etag });
    response.type('json').send(body);
  });
};
