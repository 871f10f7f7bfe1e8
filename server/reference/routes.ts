import { createHash } from 'node:crypto';
import type { Application, Request } from 'express';
import type { Catalogue } from '../../shared/pets/catalogue.ts';
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
  readonly works: WorksInForce;
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

/** The rules of works that are in force now, by the module's name; a module whose rules cannot be read here is not among them. */
export type WorksInForce = () => Readonly<Record<string, object>>;

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

/** `GET /rules.json`: what foods and cards there are and what they do now, for any client on any host. Nothing of a player. */
export const addRules = (app: Application, catalogue: Catalogue): void =>
  serve(app, '/rules.json', () => {
    const { species, foods, cards, levels, limits } = catalogue;
    return joined({ species, foods, cards, levels, limits }, written);
  });

/**
 * `GET /works.json`: what works do now, by the module's name; with `?module=` that one alone. It has a path of its own,
 * since readers of the other are strict.
 */
export const addWorksRules = (app: Application, works: WorksInForce): void =>
  serve(app, '/works.json', ({ module }) => {
    const all = Object.entries(works());
    const asked = module === undefined ? all : all.filter(([name]) => name === module);
    return joined(Object.fromEntries(asked), (rules) => joined(rules, written));
  });

const serve = (app: Application, path: string, bodyOf: (query: Request['query']) => string): void => {
  app.get(path, ({ query }, response) => {
    const body = bodyOf(query);
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    response.set({ 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*', ETag: etag });
    response.type('json').send(body);
  });
};

const texts = new WeakMap<object, string>();

/** Once for each part of a version: rules never change, new ones come instead. */
const written = (part: object | string | number): string => {
  if (typeof part !== 'object') return JSON.stringify(part);
  const text = texts.get(part) ?? JSON.stringify(part);
  texts.set(part, text);
  return text;
};

const joined = (parts: object, write: (part: never) => string): string =>
  `{${Object.entries(parts).map(([name, part]) => `${JSON.stringify(name)}:${write(part as never)}`)}}`;
