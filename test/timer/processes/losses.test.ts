import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, inject, it } from 'vitest';
import { HANG_MS, timed, tries } from '../../proof/table/tries.ts';
import { prove } from '../../support/properties/prove.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { type FiringProcesses, firingProcesses } from './firing-processes.ts';

const TIMERS = tries({ test: 10_000, proof: 100_000 });
const SPAN_MS = tries({ test: 5_000, proof: 150_000 });
const LEAD_MS = tries({ test: 1_000, proof: 5_000 });
const AWAY_MS = tries({ test: 500, proof: 60_000 });
const FULL_MS = tries({ test: 300, proof: 4_000 });
/** As RELIABILITY's row 11 has it: for what is lost, and for what comes due while Redis takes nothing. */
const LOST_BOUND_MS = timed(7_000);
const AWAY_BOUND_MS = timed(10_000);
const WAIT_MS = LEAD_MS + SPAN_MS + 60_000;

type Strike = 'FLUSHALL' | 'old append-only file' | 'out of memory' | 'away';
const flushed = Array.from({ length: tries({ test: 1, proof: 6 }) }, (): Strike => 'FLUSHALL');
const strikes: readonly Strike[] = [
  ...flushed,
  'old append-only file',
  ...flushed,
  'out of memory',
  'old append-only file',
  'away',
  ...flushed,
];
const timesOf = (what: Strike): number => strikes.filter((strike) => strike === what).length;
const LOSSES = timesOf('FLUSHALL') + timesOf('old append-only file');

/** A Redis and what befalls it. */
const strickenRedis = async () => {
  const server = await startRedis({ appendonly: true, flags: ['--auto-aof-rewrite-percentage', '0'] });
  const client = new Redis(server.url);
  client.on('error', () => undefined);
  const [files, copy] = ['appendonlydir', 'old-copy'].map((name) => path.join(server.dir, name)) as [string, string];
  const keepCopy = (): void => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(files, copy, { recursive: true });
  };
  const strike: Readonly<Record<Strike, () => Promise<unknown>>> = {
    FLUSHALL: async () => client.flushall(),
    'old append-only file': async () => {
      await server.kill();
      rmSync(files, { recursive: true });
      cpSync(copy, files, { recursive: true });
      await server.restart();
      keepCopy();
    },
    'out of memory': async () => {
      await client.config('SET', 'maxmemory', '1mb');
      await pass(FULL_MS);
      await client.config('SET', 'maxmemory', '0');
    },
    away: async () => {
      await server.kill();
      await pass(AWAY_MS);
      await server.restart();
    },
  };
  const stop = async (): Promise<void> => {
    client.disconnect();
    await server.stop();
  };
  return { server, strike, keepCopy, stop };
};

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One after another, evenly among the fires; returns when Redis took nothing, by Postgres' clock. */
const strikeAll = async (
  { fired, nowMs }: FiringProcesses,
  { strike }: Awaited<ReturnType<typeof strickenRedis>>,
): Promise<readonly Window[]> => {
  const windows: Window[] = [];
  for (const [at, what] of strikes.entries()) {
    await fired(((at + 1) * TIMERS) / (strikes.length + 2), WAIT_MS);
    const fromMs = await nowMs();
    await strike[what]();
    if (what === 'out of memory' || what === 'away') windows.push({ fromMs: fromMs - 1_000, toMs: await nowMs() });
  }
  return windows;
};

/** The games' work meanwhile: the other half of the timers, shortly before they are due, and every tenth moved. */
const load = async ({ timers, schedule }: FiringProcesses, startMs: number): Promise<void> => {
  const count = TIMERS / 2;
  const part = count / tries({ test: 10, proof: 50 });
  for (let from = 0; from < count; from += part) {
    const firstDueAtMs = startMs + (from * SPAN_MS) / count;
    await pass(Math.max(0, firstDueAtMs - Date.now() - LEAD_MS));
    await schedule(part, (at) => firstDueAtMs + (at * SPAN_MS) / count);
    const moved = Array.from({ length: part / 10 }, (_, at) => ({
      kind: 'order',
      subject: `order-${count + from + 10 * at}`,
      byMs: 700,
    }));
    await timers.shift(moved);
  }
};

it.skipIf(inject('redisUrl') === '')(
  `two processes lose none of ${TIMERS} timers, though Redis is emptied, restored from an old file, full and away`,
  { timeout: HANG_MS },
  async (context) => {
    const redis = await strickenRedis();
    const processes = await firingProcesses({ redis: redis.server.url, environments: [{}, {}] });
    const { pool, schedule, fired, judge, nowMs, stop } = processes;
    const startMs = (await nowMs()) + 2 * LEAD_MS;
    await schedule(TIMERS / 2, (at) => startMs + (at * 2 * SPAN_MS) / TIMERS);
    redis.keepCopy();
    const loaded = load(processes, startMs);
    const windows = await strikeAll(processes, redis);
    await loaded;
    await fired(TIMERS, WAIT_MS);

    const { mostLateMs, ...judged } = await judge();
    expect(judged).toEqual({ effects: TIMERS, timers: TIMERS, unfired: 0, early: 0 });
    expect(mostLateMs).toBeLessThan(AWAY_BOUND_MS);
    const { rows: fires } = await pool.query<{ due: number; late: number }>(
      'select t.due_at::float8 as due, (e.at - t.due_at)::float8 as late from effect e join kibble.timer t on t.id = e.timer',
    );
    const isExcused = (due: number): boolean => windows.some(({ fromMs, toMs }) => due >= fromMs && due <= toMs);
    expect(fires.filter(({ due, late }) => late > LOST_BOUND_MS && !isExcused(due))).toEqual([]);
    await stop();
    await redis.stop();
    prove(
      context,
      { row: 5, tries: TIMERS, of: 'timers through losses of the index', seen: `max ${mostLateMs} ms late` },
      { row: 5, tries: LOSSES, of: 'losses of the index' },
      { row: 5, tries: timesOf('FLUSHALL'), of: 'losses by FLUSHALL' },
      { row: 5, tries: timesOf('old append-only file'), of: 'losses by an old append-only file' },
      { row: 5, tries: timesOf('out of memory'), of: 'times Redis was out of memory' },
      { row: 5, tries: AWAY_MS >= 60_000 ? 1 : 0, of: 'times Redis was away for 60 s' },
    );
  },
);
