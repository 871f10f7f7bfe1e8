import { Client } from 'pg';
import { petsHistory } from '../../load/seed-history.ts';
import { Database } from '../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../server/adapter/postgres/home/home-store.ts';
import { PostgresAuditStore } from '../../server/adapter/postgres/ops/audit-store.ts';
import { PostgresOpsReads } from '../../server/adapter/postgres/ops/ops-reads.ts';
import { createPool } from '../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../server/adapter/postgres/timer/timer-store.ts';
import { seed } from '../../server/ops/offline/seed.ts';
import { playerReads } from '../../server/ops/reads/player-reads.ts';
import { thingReads } from '../../server/ops/reads/thing-reads.ts';
import { timerReads } from '../../server/ops/reads/timer-reads.ts';
import { limits } from '../../server/settings/config.ts';
import type { OpsInput } from '../../shared/ops/acts.ts';
import { defaultCatalogue } from '../../shared/pets/catalogue.ts';
import { silentLog } from '../../test/support/log/silent-log.ts';
import { insertTimers } from '../../test/support/postgres/timer-rows.ts';
import { FEEDING, petsModules } from '../../testing/pets-engine.ts';
import { createMigrated, SCHEMA } from '../harness/migrated.ts';

export interface OpsDatabase {
  readonly reads: PostgresOpsReads;
  /** A read of operators, as the ops API does it. */
  ask<Name extends keyof typeof operatorReads>(name: Name, playerId: string, input: OpsInput<Name>): Promise<unknown>;
  drop(): Promise<void>;
}

const operatorReads = { ...playerReads, ...thingReads, ...timerReads };

/** Two pets that eat, and ten entries in the log, for each player; and timers of other kinds, most of them finished. */
export const seedOps = async (serverUrl: string, playerCount: number): Promise<OpsDatabase> => {
  const database = await createMigrated(serverUrl);
  const pool = createPool({ url: database.url, max: 8, log: silentLog });
  const store = new PostgresTimerStore(new Database({ pool, schema: SCHEMA }));
  await store.registerKinds([{ kind: FEEDING, retentionMs: undefined, module: 'pets' }]);
  const homes = new PostgresHomeStore({
    database: new Database({ pool, schema: SCHEMA }),
    modules: petsModules(),
    limits: limits.seed,
  });
  await seed({
    store: homes,
    players: playerCount,
    prefix: 'player',
    seed: 1,
    history: petsHistory(defaultCatalogue, { pets: 2, events: 10 }),
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  await seedOwnKinds(database.url, playerCount);
  const reads = new PostgresOpsReads({ database: new Database({ pool, schema: SCHEMA }), modules: petsModules() });
  const audit = new PostgresAuditStore(new Database({ pool, schema: SCHEMA }));
  const modules = petsModules();
  const timers = {
    find: (targets: Parameters<typeof store.find>[0]) => store.find(targets),
    listByOwner: (owner: string) => store.listByOwners([owner]),
  };
  const on = { reads, audit, timers, modules, index: { ofOwner: async () => [] } };
  const parts = { timerId: '', jobId: '', kind: '' };
  return {
    reads,
    ask: (name, playerId, input) => {
      const read = operatorReads[name] as (given: typeof on, call: object) => Promise<unknown>;
      return read(on, { operator: { name: 'bench', role: 'viewer' }, parts: { ...parts, playerId }, input });
    },
    drop: async () => {
      await pool.end();
      await database.drop();
    },
  };
};

/** On a connection of its own: what takes minutes is given up by the pool of a server. */
const seedOwnKinds = async (url: string, count: number): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  const timers = (rows: number, kind: string, state: string): string =>
    `select '${kind}', '${kind}-${state}-' || n, 'player-' || lpad((1 + n % ${count})::text, 7, '0'),
       (extract(epoch from now()) * 1000)::bigint - n * 1000 + case '${state}' when 'scheduled' then 604800000 else 0 end
     from generate_series(1, ${rows}) n`;
  await client.query(insertTimers(timers(Math.ceil(count / 50), 'order', 'scheduled')));
  for (const [rows, kind, state] of [
    [count, 'order', 'completed'],
    [Math.ceil(count / 250), 'refund', 'dead'],
  ] as const) {
    await client.query(
      `insert into ${SCHEMA}.timer (kind, subject, owner, state, due_at, fire_at, revision, turn, attempt, last_error,
         created_at, updated_at)
       select w.kind, w.subject, w.owner, '${state}', w.at, w.at, 2, 1, dead * 15, case dead when 1 then 'Error: status ' || (500 + w.at % 5) end,
         w.at, w.at
       from (${timers(rows, kind, state)}) w(kind, subject, owner, at), (select ('${state}' = 'dead')::int as dead) d`,
    );
  }
  await client.query(`vacuum analyze`);
  await client.end();
};
