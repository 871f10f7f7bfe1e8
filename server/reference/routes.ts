import { createHash } from 'node:crypto';
import type { Application, Request } from 'express';
import type { Catalogue } from '../../shared/pets/catalogue.ts';
import { addPage } from '../http/page.ts';

export interface ProbedHealth {
  /** The parts that are degraded; undefined: not ready (Postgres, migrations, draining). Never throws. */
  degraded(): Promise<readonly string[] | undefined>;
}

export interface GuestTokens {
  /** Undefined: guests are off. */
  signGuest(): Promise<string | undefined>;
}

export interface RoutesOptions {
  readonly health: ProbedHealth;
  readonly tokens: GuestTokens;
  readonly catalogue: Catalogue;
  readonly works: WorksInForce;
  /** The folder of the built playable page. */
  readonly page: string;
  /** Players may connect to other addresses than the page's. */
  readonly hasOtherHosts: boolean;
}

/** The probes: does the process live, and can it serve? */
export const addProbes = (app: Application, health: ProbedHealth): void => {
  app.disable('x-powered-by');

  // Any response shows that the event loop turns.
  app.get('/livez', (_request, response) => {
    response.json({ alive: true });
  });

  app.get('/readyz', async (_request, response) => {
    const degraded = await health.degraded();
    response.status(degraded ? 200 : 503).json(degraded ? { ready: true, degraded } : { ready: false });
  });
};

/** The rules of works in force, by the module's name; without rules that this process cannot read. */
export type WorksInForce = () => Readonly<Record<string, object>>;

/** The HTTP routes besides Colyseus' own. */
export const addRoutes = (app: Application, options: RoutesOptions): void => {
  const { health, tokens, catalogue, works, page, hasOtherHosts } = options;
  addProbes(app, health);

  // For the SDK's `auth.signInAnonymously()`. Reads nothing of the request: a client cannot choose its identity.
  app.post('/auth/anonymous', async (_request, response) => {
    const token = await tokens.signGuest();
    if (token === undefined) response.status(403).json({ error: 'auth/no-guests' });
    else response.json({ user: { anonymous: true }, token });
  });

  addRules(app, catalogue);
  addWorksRules(app, works);
  addPage(app, { folder: page, hasOtherHosts });
};

/** `GET /rules.json`: all foods and cards with their present effects, for any client on any host. No player data. */
export const addRules = (app: Application, catalogue: Catalogue): void =>
  serve(app, '/rules.json', () => {
    const { species, foods, cards, levels, limits } = catalogue;
    return joined({ species, foods, cards, levels, limits }, written);
  });

/**
 * `GET /works.json`: the present rules of works by the module's name; with `?module=` only that one. It has its own
 * path, because readers of `/rules.json` are strict.
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

/** Written once for each part of a version, since rules never change: new versions replace them. */
const written = (part: object | string | number): string => {
  if (typeof part !== 'object') return JSON.stringify(part);
  const text = texts.get(part) ?? JSON.stringify(part);
  texts.set(part, text);
  return text;
};

const joined = (parts: object, write: (part: never) => string): string =>
  `{${Object.entries(parts).map(([name, part]) => `${JSON.stringify(name)}:${write(part as never)}`)}}`;
