import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { collectDefaultMetrics } from '@prometheus-io/client';
import type { Pool } from 'pg';
import type { AnyModule } from '../../shared/module/module.ts';
import type { WorksCatalogue } from '../../shared/works/rules-file.ts';
import { openingsOf } from '../../shared/works/works.ts';
import { startEmbedded } from '../adapter/embedded-postgres/embedded.ts';
import { random } from '../adapter/machine/random.ts';
import { systemClock } from '../adapter/machine/system-clock.ts';
import { createPool } from '../adapter/postgres/pool.ts';
import { poolerFault } from '../adapter/postgres/schema/check-pool.ts';
import { query } from '../adapter/postgres/statement.ts';
import { createRates } from '../gate/rates.ts';
import { addMetrics } from '../http/metrics-route.ts';
import { operatorAuth } from '../http/operator-auth.ts';
import { opsRouter } from '../http/ops-api.ts';
import { createKibble, type Kibble } from '../kibble.ts';
import { RevokedTokens } from '../room/home-auth.ts';
import { createTokens } from '../room/tokens.ts';
import { Loop } from '../runtime/loop.ts';
import { type Config, limits } from '../settings/config.ts';
import type { createLog } from '../telemetry/log.ts';
import { StartRefused } from '../wiring/explain-start.ts';
import { gameOf, type ReferenceGame } from './game.ts';
import { type GameServer, startGameServer } from './game-server.ts';
import { startProbeServer } from './probe-server.ts';
import { addRoutes, type ProbedHealth } from './routes.ts';
import { loadSecrets, type Secrets, SecretUnsafe } from './secrets.ts';

type Log = ReturnType<typeof createLog>;

export interface OpenServer {
  readonly address: string;
  /** Undefined if the operator set the tokens. */
  readonly opsTokenFile: string | undefined;
  /** Resolves when a necessary part has ended for good: then the server must end. */
  readonly lost: Promise<unknown>;
  /** Disconnects clients, finishes accepted work, and closes everything in the reverse order of opening. */
  close(): Promise<void>;
}

/**
 * Opens all parts of the settings, and listens. If a part cannot be opened, throws and leaves nothing open. `modules`:
 * modules besides the game of the rules.
 */
export const openServer = async (config: Config, log: Log, modules: readonly AnyModule[] = []): Promise<OpenServer> => {
  const closers: (() => Promise<void>)[] = [];
  const lost = Promise.withResolvers<unknown>();
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) await closer();
  };
  // A second call must not resolve before the first one has.
  const close = (): Promise<void> => {
    closing ??= closeAll();
    return closing;
  };
  try {
    // First the parts that can fail without having made or changed anything.
    const game = gameOf(config.rulesFile === undefined ? undefined : readJson(config.rulesFile));
    const secrets = readSecrets(config);
    const pool = await openPool({ config, log, closers, onLost: lost.resolve });
    const kibble = createKibble({
      pool,
      modules: [...game.modules, ...modules],
      retired: game.retired,
      log,
      playerId: ({ sub }: { readonly sub: string }) => sub,
      role: config.role,
      schema: config.schema,
      redisPrefix: config.redisPrefix,
      shards: config.timerShards,
      eventRetentionMs: config.eventRetentionDays * DAY_MS,
      timerRetentionMs: config.timerRetentionDays * DAY_MS,
      drainMs: Math.max(0, config.drainMs - AFTER_CALLS_MS),
      ...(config.redisUrls ? { redis: config.redisUrls.join(',') } : {}),
    });
    const shutdown = () => kibble.lifecycle.shutdown();
    closers.push(shutdown);
    await kibble.lifecycle.boot();
    const health = healthOf(kibble, () => closing !== undefined);
    const revoked = watchRevoked(config, kibble, log, closers);
    const server = await listen({ config, game, kibble, secrets, log, health, revoked }).catch((error: unknown) => {
      throw isPortTaken(error)
        ? new StartRefused(`PORT ${config.port} is in use: set PORT to another one`, error)
        : error;
    });
    // A worker's port answers probes and scrapes until its calls have ended.
    closers.splice(config.role === 'worker' ? closers.indexOf(shutdown) : closers.length, 0, () => server.close());
    if (config.databaseUrl === undefined) closers.push(publishAddress(config.dataDir, server.address));
    return { address: server.address, opsTokenFile: secrets.opsTokenFile, lost: lost.promise, close };
  } catch (error) {
    await close();
    throw error;
  }
};

interface Opened {
  readonly config: Config;
  readonly game: ReferenceGame;
  readonly kibble: Kibble;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly health: ProbedHealth;
  readonly revoked: RevokedTokens;
}

/** Tells the command `kibble`, by a file, where a server with its own database is. Returns the file's removal. */
const publishAddress = (dataDir: string, address: string): (() => Promise<void>) => {
  const file = path.join(dataDir, 'address');
  writeFileSync(file, address, { mode: 0o600 });
  return async () => rmSync(file, { force: true });
};

/** Reads operators' revocations until it is closed. */
const watchRevoked = (config: Config, kibble: Kibble, log: Log, closers: (() => Promise<void>)[]): RevokedTokens => {
  const revoked = new RevokedTokens(kibble.ops.revocations);
  const loop = new Loop({ name: 'watch revoked tokens', clock: systemClock, log, tick: revoked.tick });
  if (config.role !== 'worker') loop.start();
  closers.push(() => loop.stop());
  return revoked;
};

/** A worker has no sockets: it only responds to probes. */
const listen = ({ config, game, kibble, secrets, log, health, revoked }: Opened): Promise<GameServer> => {
  const tokens = createTokens({ ...config, jwtSecret: secrets.jwtSecret }, random.uniqueName);
  const { wrongTokens, ...rates } = createRates({ isFree: config.hasDevTools, seed: random.uniqueName() });
  const gate = { operatorOf: operatorAuth(secrets.opsTokens), wrongTokens };
  const scraped = { metrics: kibble.metrics, ...gate };
  collectDefaultMetrics({ register: kibble.metrics });
  const { port, host } = config;
  if (config.role === 'worker') return startProbeServer({ port, host, health, ...scraped });
  return startGameServer({
    modules: kibble.modules,
    homes: kibble.service,
    catalogue: kibble.catalogue,
    tokens,
    revoked,
    limits: limits.events,
    clock: systemClock,
    onFault: (message, error) => log.error({ err: error }, message),
    port,
    host,
    publicAddress: config.publicAddress,
    maxPayload: limits.http.maxPayload,
    allowedOrigins: config.allowedOrigins,
    trustedProxies: config.trustedProxies,
    ...rates,
    routes: (app) => {
      addRoutes(app, {
        tokens,
        health,
        catalogue: kibble.catalogue,
        works: () => worksInForce(game, kibble),
        page: PAGE,
        hasOtherHosts: config.publicAddress !== undefined,
      });
      addMetrics(app, scraped);
      const ops = opsRouter({
        handlers: kibble.ops.handlers({ hasDevTools: config.hasDevTools }),
        ...gate,
        onFault: (message, error) => log.error({ err: error }, message),
        maxBody: limits.ops.maxBody,
        page: OPS_PAGE,
      });
      app.use('/ops', ops);
    },
  });
};

const worksInForce = ({ works }: ReferenceGame, { rules }: Kibble): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.keys(works).flatMap((name) => {
      // Undefined: this process cannot read its rules.
      const config = rules.config(name) as WorksCatalogue | undefined;
      if (!config) return [];
      const opensAt = openingsOf(config, systemClock.nowMs());
      return [[name, { ...config, opensAt }]];
    }),
  );

const DAY_MS = 86_400_000;
/** The part of `DRAIN_MS` that remains for the rest of the shutdown after calls were aborted. */
const AFTER_CALLS_MS = 5000;
/** Built by `npm start` and in the image; the published package has only the operators' page. */
const PAGE = path.join(import.meta.dirname, '../../client/dist');
const OPS_PAGE = path.join(import.meta.dirname, '../../ops/dist');

const readJson = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new StartRefused(`RULES_FILE cannot be read as JSON: ${reasonOf(error)}`, error);
  }
};

const readSecrets = (config: Config): Secrets => {
  try {
    return loadSecrets(config);
  } catch (error) {
    if (error instanceof SecretUnsafe) throw error;
    throw new StartRefused(`DATA_DIR cannot be written (${reasonOf(error)}): set it to a folder of your own`, error);
  }
};

type Opening = Pick<Opened, 'config' | 'log'> & {
  readonly closers: (() => Promise<void>)[];
  readonly onLost: (error: unknown) => void;
};

const openPool = async ({ config, log, closers, onLost }: Opening): Promise<Pool> => {
  let url = config.databaseUrl;
  if (url === undefined) {
    const postgres = await startEmbedded({ dataDir: config.dataDir, log: (line) => log.info(line), onLost });
    closers.push(() => postgres.stop());
    url = postgres.url;
  }
  const pool = createPool({ url, max: config.dbPool, log });
  closers.push(() => pool.end());
  await query(pool, { text: 'select 1' }).catch((error: unknown) => {
    const unanswered = `DATABASE_URL does not answer (${reasonOf(error)}): is Postgres running there?`;
    throw poolerFault(error) ?? new StartRefused(unanswered, error);
  });
  return pool;
};

/** An `AggregateError` of several addresses has no message of its own. */
const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
};

const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** If no command can be accepted, players must go to another server. */
const healthOf = (kibble: Kibble, isClosing: () => boolean): ProbedHealth => ({
  degraded: async () => {
    const degraded = isClosing() ? undefined : kibble.health.degraded();
    return degraded?.some((trouble) => trouble === 'database' || trouble === 'right') ? undefined : degraded;
  },
});
