import { Client } from 'pg';
import { petsHistory } from '../../../load/seed-history.ts';
import { yieldToEventLoop } from '../../../server/adapter/machine/system-clock.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { PostgresAuditStore } from '../../../server/adapter/postgres/ops/audit-store.ts';
import { PostgresOpsReads } from '../../../server/adapter/postgres/ops/ops-reads.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { seed } from '../../../server/ops/offline/seed.ts';
import { Activity } from '../../../server/ops/reads/activity.ts';
import { overview } from '../../../server/ops/reads/overview.ts';
import { playerReads } from '../../../server/ops/reads/player-reads.ts';
import { thingReads } from '../../../server/ops/reads/thing-reads.ts';
import { timerReads } from '../../../server/ops/reads/timer-reads.ts';
import { limits } from '../../../server/settings/config.ts';
import { newHome } from '../../../shared/home.ts';
import type { OpsInput } from '../../../shared/ops/acts.ts';
import { defaultCatalogue } from '../../../shared/pets/catalogue.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import { silentLog } from '../../../test/support/log/logs.ts';
import { insertTimers } from '../../../test/support/postgres/timer-database.ts';
import { FEEDING, petsModules } from '../../../testing/pets-engine.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { quantiles } from '../../harness/spread.ts';
import { SCHEMA, type Stores } from '../../harness/stores.ts';

/** A million waiting timers and five million events; others with `OPS_PLAYERS` and `OPS_PETS`. */
const PLAYERS = Number(process.env.OPS_PLAYERS ?? 500_000);
const PETS = Number(process.env.OPS_PETS ?? 2);
/** At least those that adopt and feed them. */
const EVENTS = Math.max(10, 2 + 2 * PETS);
const QUICK_PLAYERS = 500;
const ROUNDS_OF_ONE = 40;
/** The longest time in which a page still feels quick. */
const TARGET_MS = 300;

type Ask = (database: OpsDatabase, player: string) => Promise<unknown>;

/** The requests of the operators' page. */
const questions: Readonly<Record<string, Ask>> = {
  'search: beginning of an id': ({ ask }, player) => ask('search', player, { q: player.slice(0, -2) }),
  'search: name of a pet': ({ ask }, player) => ask('search', player, { q: 'bel' }),
  'player: home': ({ ask }, player) => ask('player', player, {}),
  'player: log': ({ ask }, player) => ask('log', player, {}),
  'player: timers': ({ ask }, player) => ask('playerTimers', player, {}),
  'explain a feeding': async ({ reads, ask }, player) => {
    const run = petsOf((await reads.home(player))?.home ?? newHome(''))[0]?.feeding?.feedingId ?? '';
    return ask('explainThing', player, { module: 'pets', run });
  },
  'timers: first page of all, with count': ({ ask }, player) => ask('timers', player, {}),
  'timers: of a rare kind': ({ ask }, player) => ask('timers', player, { kind: 'order' }),
  'timers: of an owner, finished': ({ ask }, owner) => ask('timers', owner, { state: 'completed', owner }),
  'timers: a window': async ({ reads, ask }, player) => {
    const nowMs = await reads.nowMs();
    return ask('timers', player, { fromMs: nowMs + 1_800_000, toMs: nowMs + 5_400_000 });
  },
  'timers: finished, latest first': ({ ask }, player) => ask('timers', player, { state: 'completed' }),
  'timers: dead, of an error': ({ ask }, player) =>
    ask('timers', player, { state: 'dead', kind: 'refund', error: 'Error: status 503' }),
  'dead and stuck by error': ({ ask }, player) => ask('failed', player, {}),
  'upcoming, a week': ({ ask }, player) => ask('upcoming', player, { window: '7d' }),
  overview: ({ reads }) =>
    overview({
      reads,
      process: 'bench',
      activity: new Activity(() => 0),
      degraded: () => [],
      oldestUnackedMs: async () => 0,
      lanes: () => [],
      kinds: { registeredKinds: async () => new Map([[FEEDING, false]]), pausedKinds: async () => new Set() },
    }),
};

export const opsQueries: Row = {
  name: 'ops-queries',
  about: `What the operators' page asks of a database with ${PLAYERS.toLocaleString('en')} players, ${(PETS * PLAYERS).toLocaleString('en')} feedings that run, ${(EVENTS * PLAYERS).toLocaleString('en')} events and as many finished timers as players; one question at a time, ${ROUNDS_OF_ONE} times each.`,
  rounds: 3,
  figures: inUnit('ms', 'p50', 'p95'),
  targets: Object.keys(questions).map((of) => ({ of, figure: 'p95', atMost: TARGET_MS })),
  prepare: async ({ stores, isQuick }) => {
    const players = isQuick ? QUICK_PLAYERS : PLAYERS;
    const database = await seedOps(stores, players);
    return {
      contenders: Object.entries(questions).map(([name, ask]) => ({
        name,
        measure: () => measure(database, ask, players),
      })),
      dispose: database.close,
    };
  },
};

const measure = async (database: OpsDatabase, ask: Ask, players: number): Promise<Sample> => {
  const tookMs: number[] = [];
  for (let at = 0; at < ROUNDS_OF_ONE; at += 1) {
    const player = `player-${String(1 + Math.floor((at / ROUNDS_OF_ONE) * players)).padStart(7, '0')}`;
    const startedAtMs = performance.now();
    await ask(database, player);
    tookMs.push(performance.now() - startedAtMs);
  }
  return quantiles(tookMs, 'p50', 'p95');
};

interface OpsDatabase {
  readonly reads: PostgresOpsReads;
  /** A read of operators, as in the ops API. */
  ask<Name extends keyof typeof operatorReads>(name: Name, playerId: string, input: OpsInput<Name>): Promise<unknown>;
  close(): Promise<void>;
}

const operatorReads = { ...playerReads, ...thingReads, ...timerReads };

/** For each player eating pets and entries in the log; and timers of other kinds, most of them finished. */
const seedOps = async (stores: Stores, playerCount: number): Promise<OpsDatabase> => {
  const database = await stores.migrated();
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
    history: petsHistory(defaultCatalogue, { pets: PETS, events: EVENTS }),
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
  const on = { reads, audit, timers, modules, yieldToEventLoop, index: { ofOwner: async () => [] } };
  const parts = { timerId: '', jobId: '', kind: '' };
  return {
    reads,
    ask: (name, playerId, input) => {
      const read = operatorReads[name] as (given: typeof on, call: object) => Promise<unknown>;
      return read(on, { operator: { name: 'bench', role: 'viewer' }, parts: { ...parts, playerId }, input });
    },
    close: () => pool.end(),
  };
};

/** On its own connection: a server's pool would abort a statement of minutes. */
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
