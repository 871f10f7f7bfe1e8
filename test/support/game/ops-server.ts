import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import type { Pool } from 'pg';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { operatorAuth } from '../../../server/http/operator-auth.ts';
import { opsRouter } from '../../../server/http/ops-api.ts';
import { createKibble, type Kibble, type KibbleOptions, ManualClock } from '../../../server/kibble.ts';
import { addressOf } from '../../../server/reference/bounded-http.ts';
import { addRules } from '../../../server/reference/routes.ts';
import { type OpsRole, opsRoles } from '../../../shared/ops/act.ts';
import type { OpsInput } from '../../../shared/ops/acts.ts';
import { type OpsRouteName, opsActs, opsPath } from '../../../shared/ops/acts.ts';
import type { OpsAnswers, OpsError } from '../../../shared/ops/ops-answers.ts';
import type { Reply } from '../../../shared/pets/protocol.ts';
import type { Command } from '../../../shared/protocol.ts';
import { migratedDatabase } from '../postgres/home-database.ts';
import type { TestDatabase } from '../postgres/postgres-server.ts';

export const START_MS = 1_790_000_000_000;
export const HOUR_MS = 3_600_000;

export interface Said<Name extends OpsRouteName> {
  readonly status: number;
  readonly body: OpsAnswers[Name] & OpsError;
}

export interface OpsServer {
  readonly kibble: Kibble;
  readonly clock: ManualClock;
  readonly database: TestDatabase;
  readonly pool: Pool;
  readonly address: string;
  readonly faults: string[];
  readonly warned: readonly object[];
  /** As this role; `undefined`: without a token. */
  ask<Name extends OpsRouteName>(
    name: Name,
    parts?: Readonly<Record<string, string>>,
    input?: OpsInput<Name> | object,
    role?: OpsRole | undefined | 'nobody',
  ): Promise<Said<Name>>;
  /** A command of the player, which must be accepted. */
  play(playerId: string, command: Command): Promise<Reply>;
  /** Ends this Kibble; the database stays, for another one. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export const tokenOf = (role: OpsRole): string => `${role}-of-the-tests-k7Qz1v9XbT4mR8wL`;

let commands = 0;
/** The fields of every write. */
export const why = (more: object = {}) => ({
  commandId: `ops-command-${++commands}`,
  reason: 'because of a test',
  ...more,
});

/** A Kibble with a clock that stands still, and the ops API on a real socket; with `page`, a built one at /ops/. */
export const startOpsServer = async (
  postgresUrl: string,
  options: Partial<KibbleOptions> & {
    readonly hasDevTools?: boolean;
    readonly database?: TestDatabase;
    readonly page?: string;
  } = {},
): Promise<OpsServer> => {
  const { hasDevTools = false, database: given, page, ...others } = options;
  const database = given ?? (await migratedDatabase(postgresUrl));
  const faults: string[] = [];
  const warned: object[] = [];
  const log = {
    info: () => undefined,
    warn: (fields: object) => void warned.push(fields),
    error: (...said: unknown[]) => faults.push(String(said[1])),
  };
  const pool = createPool({ url: database.url, max: 8, log });
  const clock = new ManualClock(START_MS);
  const kibble = createKibble({ pool, clock, log, playerId: ({ sub }) => sub, ...others });
  await kibble.lifecycle.boot();
  const app = express();
  const ops = opsRouter({
    handlers: kibble.ops.handlers({ hasDevTools }),
    operatorOf: operatorAuth(opsRoles.map((role) => ({ name: `the-${role}`, role, token: tokenOf(role) }))),
    onFault: (message, error) => faults.push(`${message}: ${error}`),
    maxBody: 100_000,
    page,
  });
  app.use('/ops', ops);
  addRules(app, kibble.catalogue);
  const http = createServer(app);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = addressOf(http, '127.0.0.1');
  const stop = async (): Promise<void> => {
    http.close();
    http.closeAllConnections();
    await kibble.lifecycle.shutdown();
    await pool.end();
  };
  return {
    kibble,
    clock,
    database,
    pool,
    address,
    faults,
    warned,
    ask: async (name, parts = {}, input = {}, role = 'admin') => {
      const { method } = opsActs[name];
      const query = method === 'GET' ? `?${new URLSearchParams(input as Record<string, string>)}` : '';
      const response = await fetch(`${address}/ops/${opsPath(name, parts)}${query}`, {
        method,
        headers: {
          ...(role === 'nobody' ? {} : { authorization: `Bearer ${tokenOf(role ?? 'admin')}` }),
          ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
        },
        ...(method === 'POST' ? { body: JSON.stringify(input) } : {}),
      });
      return { status: response.status, body: (await response.json()) as never };
    },
    play: async (playerId, command) => {
      const order = { playerId, commandId: `play-command-${++commands}`, command };
      const [outcome] = await kibble.service.handle([order]);
      if (!outcome?.ok) throw new Error(JSON.stringify(outcome));
      return outcome.value as Reply;
    },
    stop,
    close: async () => {
      await stop();
      await database.drop();
    },
  };
};
