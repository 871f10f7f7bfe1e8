import { Registry } from '@prometheus-io/client';
import { Pool } from 'pg';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { createKibble, type Kibble, type KibbleOptions, ManualClock } from '../../server/kibble.ts';
import { createTimers } from '../../server/timers.ts';
import { silentLog } from '../support/log/logs.ts';
import { samplesIn, valueIn } from '../support/metrics/metrics.ts';
import { createDatabase, type TestDatabase } from '../support/postgres/postgres-server.ts';

const HOUR_MS = 3_600_000;
let database: TestDatabase;
let pool: Pool;
let clock: ManualClock;
let opened: { lifecycle: { shutdown(): Promise<void> } }[];

beforeEach(async () => {
  database = await createDatabase(inject('postgresUrl'));
  pool = new Pool({ connectionString: database.url, max: 8 });
  clock = new ManualClock(1_790_000_000_000);
  opened = [];
});
afterEach(async () => {
  for (const kibble of opened) await kibble.lifecycle.shutdown();
  await pool.end();
  await database.drop();
});

const open = async (options: Partial<KibbleOptions> = {}): Promise<Kibble> => {
  const kibble = createKibble({ pool, clock, log: silentLog, playerId: ({ sub }) => sub, ...options });
  opened.push(kibble);
  await kibble.lifecycle.boot();
  return kibble;
};

const feed = async (kibble: Kibble, playerId: string): Promise<void> => {
  const petId = `${playerId}~p2`;
  await kibble.homes.handle([
    { playerId, type: 'home:adopt', payload: { commandId: 'adopt-it', name: 'Rex', species: 'dog' } as never },
    { playerId, type: 'home:feed', payload: { commandId: 'feed-it!', petId, food: 'dog-food' } as never },
    { playerId, type: 'home:feed', payload: { commandId: 'once-more', petId, food: 'dog-food' } as never },
  ]);
};

it('counts what a game does', async () => {
  const kibble = await open();
  kibble.service.follow('ann', () => undefined);
  await feed(kibble, 'ann');
  clock.advance(4 * HOUR_MS);
  await kibble.runDue();

  const text = await kibble.metrics.metrics();
  const value = (name: string, labels?: Record<string, string>) => valueIn(text, name, labels);
  expect(value('kibble_commands_total', { module: 'pets', type: 'home:feed', code: 'ok' })).toBe(1);
  expect(value('kibble_commands_total', { type: 'home:feed', code: 'pet/eating' })).toBe(1);
  expect(value('kibble_command_seconds_count', { type: 'home:feed' })).toBe(2);
  expect(value('kibble_timers_fired_total', { kind: 'feeding', outcome: 'completed' })).toBe(1);
  expect(value('kibble_timer_lateness_seconds_count', { kind: 'feeding' })).toBe(1);
  expect(value('kibble_batch_seconds_count', { outcome: 'committed' })).toBe(value('kibble_batch_homes_count'));
  // One commit with the three commands, one with what fired.
  expect(value('kibble_push_seconds_count')).toBe(2);
  expect(value('kibble_followers')).toBe(1);
  expect(value('kibble_homes_followed')).toBe(1);
  expect(value('kibble_timers_pending')).toBe(0);
  expect(value('kibble_index_available', { index: 'wheel' })).toBe(1);
  expect(value('kibble_database_connections_max')).toBe(8);
});

it('shows how far each consumer is behind, and what is overdue', async () => {
  const kibble = await open({ consumers: [{ name: 'quests', handle: () => Promise.reject(new Error('away')) }] });
  await feed(kibble, 'ann');
  // By hand, because no loop refills the index.
  await kibble.runDue();
  const text = await kibble.metrics.metrics();

  // The starter items, the pet, the meal.
  expect(valueIn(text, 'kibble_consumer_lag_events', { consumer: 'quests' })).toBe(3);
  expect(valueIn(text, 'kibble_timers_pending')).toBe(1);
  expect(valueIn(text, 'kibble_index_entries')).toBe(1);
});

it('shows a consumer that no process has any more: the log keeps all events for it', async () => {
  const before = await open({ consumers: [{ name: 'renamed', handle: () => Promise.resolve() }] });
  await before.lifecycle.shutdown();
  const kibble = await open();
  await feed(kibble, 'ann');
  expect(valueIn(await kibble.metrics.metrics(), 'kibble_consumer_lag_events', { consumer: 'renamed' })).toBe(3);
});

it('counts no read of the scrape itself as a caller that waits for a connection', async () => {
  const kibble = await open();
  await pool.query('select 1');
  const text = await kibble.metrics.metrics();
  expect(valueIn(text, 'kibble_database_connections', { state: 'idle' })).toBeGreaterThan(0);
  expect(valueIn(text, 'kibble_database_connections', { state: 'waiting' })).toBe(0);
});

it('names no player, pet or timer, and no kind that nobody registered', async () => {
  const kibble = await open();
  await feed(kibble, 'a-player-to-be-found');
  await pool.query(`insert into kibble.timer (kind, subject, owner, due_at, fire_at, state, revision, turn, attempt, created_at, updated_at)
    values ('a-kind-to-be-found', 's', 'o', 0, 0, 'dead', 1, 1, 1, 0, 0)`);
  const text = await kibble.metrics.metrics();

  expect(text).not.toContain('to-be-found');
  expect(valueIn(text, 'kibble_timers_dead', { kind: 'other' })).toBe(1);
  const labels = new Set(samplesIn(text).flatMap((sample) => Object.keys(sample.labels)));
  expect([...labels].sort()).toEqual(
    [
      'code',
      'difference',
      'index',
      'kind',
      'le',
      'module',
      'node',
      'outcome',
      'quantile',
      'reason',
      'source',
      'state',
    ].concat('type', 'version'),
  );
});

it('lets several live in one process, each with metrics of its own', async () => {
  const [one, other] = [await open({ schema: 'one' }), await open({ schema: 'other' })];
  await feed(one, 'ann');

  const adopted = async (kibble: Kibble) =>
    valueIn(await kibble.metrics.metrics(), 'kibble_commands_total', { type: 'home:adopt', code: 'ok' });
  expect(await adopted(one)).toBe(1);
  expect(await adopted(other)).toBe(0);
});

it('puts its metrics where the host keeps its own, but not where another Kibble has', () => {
  const metrics = new Registry();
  const options = { pool, playerId: ({ sub }: { sub: string }) => sub, metrics };

  expect(createKibble(options).metrics).toBe(metrics);
  expect(() => createKibble(options)).toThrow('metrics is no registry, or belongs to another Kibble');
});

it('answers a scrape while Postgres is away, and says what it does not know', async () => {
  const away = new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none', connectionTimeoutMillis: 500 });
  const kibble = createKibble({ pool: away, log: silentLog, playerId: ({ sub }: { sub: string }) => sub });
  expect(valueIn(await kibble.metrics.metrics(), 'kibble_timers_pending')).toBeNaN();
  // The one after it tells of it.
  const text = await kibble.metrics.metrics();
  expect(valueIn(text, 'kibble_scrape_failures_total', { source: 'pending' })).toBeGreaterThan(0);
  await away.end();
});

it('shows of the timers alone what it shows of a game’s timers, and no homes', async () => {
  const kinds = [{ kind: 'letter', call: async () => undefined }];
  const kibble = await open({ kinds });
  const alone = createTimers({ pool, clock, log: silentLog, schema: 'alone', kinds });
  opened.push(alone);
  await alone.lifecycle.boot();
  const due = { kind: 'letter', subject: 'a', owner: 'ann', dueAtMs: clock.nowMs() + 1000 };
  await alone.timers.schedule([due]);
  clock.advance(1000);
  await alone.runDue();

  const ofHomes = /^kibble_(command|batch|push|followers|homes|timer_rows|consumer|slow_rules)/;
  const namesOf = async ({ metrics }: { readonly metrics: Registry }) =>
    (await metrics.getMetricsAsJSON()).map(({ name }) => name);
  const ofTimers = (await namesOf(kibble)).filter((name) => !ofHomes.test(name));
  expect((await namesOf(alone)).sort()).toEqual(ofTimers.sort());
  const text = await alone.metrics.metrics();
  expect(text).not.toMatch(/^kibble_commands_total/m);
  expect(valueIn(text, 'kibble_timers_fired_total', { kind: 'letter', outcome: 'completed' })).toBe(1);
  expect(valueIn(text, 'kibble_timers_pending')).toBe(0);
});

it('works on a pool that has neither options nor counts, as a wrapper of a pool', async () => {
  const bare = { query: pool.query.bind(pool), connect: pool.connect.bind(pool), on: pool.on.bind(pool) };
  const kibble = await open({ pool: bare as never });
  await feed(kibble, 'ann');
  clock.advance(4 * HOUR_MS);
  await kibble.runDue();
  const text = await kibble.metrics.metrics();
  expect(valueIn(text, 'kibble_timers_fired_total', { kind: 'feeding', outcome: 'completed' })).toBe(1);
  expect(valueIn(text, 'kibble_database_connections', { state: 'waiting' })).toBe(0);
  expect(valueIn(text, 'kibble_database_connections_max')).toBe(0);
});
