import { expect, inject, it } from 'vitest';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { openDatabase } from '../../../server/cli/open-database.ts';
import { clockActs } from '../../../server/ops/acts/index-acts.ts';
import type { ClockState } from '../../../server/timer/clock/clock-guard.ts';
import type { OpsWrite } from '../../../shared/ops/acts.ts';
import { HOUR_MS, startOpsServer, why } from '../../support/game/ops-server.ts';
import { silentLog } from '../../support/log/logs.ts';

const held = { isHeld: true, sinceMs: 1_000, byMs: HOUR_MS, direction: 'ahead' } as ClockState;

it('operators see whether the clock is trusted; to accept it takes an admin, and is in the audit', async () => {
  const server = await startOpsServer(inject('postgresUrl'));
  expect(await server.ask('clock', {}, {}, 'viewer')).toMatchObject({ status: 200, body: { isHeld: false } });
  expect((await server.ask('acceptClock', {}, why(), 'support')).status).toBe(403);
  const accepted = await server.ask('acceptClock', {}, why(), 'admin');
  expect(accepted.body.answer).toEqual({ before: { isHeld: false }, after: { isHeld: false } });
  const { entries } = (await server.ask('audit', {}, { target: 'clock' })).body;
  expect(entries).toMatchObject([{ actor: 'the-admin', action: 'accept', before: { isHeld: false } }]);
  await server.close();
});

it('a hold ends with the word of an operator, once for each commandId, and not on trial', async () => {
  let state = held;
  let accepts = 0;
  const clock = {
    state: () => state,
    accept: async () => {
      accepts += 1;
      state = { isHeld: false };
    },
  };
  let kept = new Map<string, { hash: string; answer: unknown }>();
  const audit = {
    transaction: async <Answer>(work: (tx: never) => Promise<Answer>) => {
      const before = new Map(kept);
      return work(undefined as never).catch((error) => {
        kept = before;
        throw error;
      });
    },
    earlier: async (_: unknown, commandId: string) => kept.get(commandId),
    add: async (_: unknown, entries: readonly { commandId: string; hash: string; answer: unknown }[]) => {
      for (const { commandId, hash, answer } of entries) kept.set(commandId, { hash, answer });
      return entries.length;
    },
    page: async () => [],
    mergedAway: async () => new Set<string>(),
    isWorldFault: () => false,
  };
  const parts = { playerId: '', timerId: '', jobId: '', kind: '', module: '' };
  const operator = { name: 'ada', role: 'admin' } as const;
  const accept = (input: OpsWrite) => clockActs.acceptClock({ clock, audit }, { operator, parts, input });
  const write = { commandId: 'accept-command', reason: 'the clock was set' };
  expect(await accept({ ...write, dryRun: true })).toMatchObject({ value: { answer: { after: held } } });
  const first = await accept(write);
  expect(first).toMatchObject({ value: { answer: { before: held, after: { isHeld: false } } } });
  expect(await accept(write)).toEqual(first);
  expect(accepts).toBe(1);
});

it('while time is held, what `kibble seed` makes is on the held time', async () => {
  const server = await startOpsServer(inject('postgresUrl'));
  await server.stop();
  const { url } = server.database;
  const pool = createPool({ url, max: 1, log: silentLog });
  await pool.query('insert into kibble.clock values (1, 0, $1) on conflict (singleton) do update set held_by_ms = $1', [
    4 * HOUR_MS,
  ]);
  const terminal = { note: () => undefined } as never;
  const settings = { schema: 'kibble', databaseUrl: url, dataDir: '', rulesFile: undefined } as never;
  const database = await openDatabase(settings, terminal);
  await database.seed({
    players: 3,
    things: 1,
    events: 8,
    prefix: 'held',
    seed: 1,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  await database.close();
  const { rows } = await pool.query<{ ahead_ms: string }>(
    `select (extract(epoch from clock_timestamp()) * 1000)::bigint - max(at) as ahead_ms from kibble.event
     where player_id like 'held%'`,
  );
  expect(Number(rows[0]?.ahead_ms)).toBeGreaterThanOrEqual(4 * HOUR_MS);
  expect(Number(rows[0]?.ahead_ms)).toBeLessThan(5 * HOUR_MS);
  await pool.end();
  await server.database.drop();
});
