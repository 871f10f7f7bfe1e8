import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createTimers, type FiredTimer, ManualClock, silent } from '../../../server/timers.ts';
import { hostDatabase } from '../../support/postgres/host-database.ts';
import { startRedis } from '../../support/redis/redis-server.ts';

const NOW_MS = 1_790_000_000_000;
const DAY_MS = 86_400_000;
const ROUNDS = 40;

describe.each(['the wheel', 'Redis'])('by createTimers on %s', (where) => {
  const isRedis = where === 'Redis';
  const open = async (fired: FiredTimer[]) => {
    const redis = isRedis ? await startRedis() : undefined;
    const { pool } = await hostDatabase();
    const clock = new ManualClock(NOW_MS);
    const record = async (timers: readonly FiredTimer[]) => void fired.push(...timers);
    const start = async () => {
      const kinds = [
        { kind: 'bonus', fire: async (timers: readonly FiredTimer[]) => record(timers).then(() => undefined) },
        { kind: 'letter', call: (timer: FiredTimer) => record([timer]), misfire: { late: 'hand' as const } },
        { kind: 'offer', call: (timer: FiredTimer) => record([timer]), misfire: { late: 'skip' as const } },
      ];
      const game = createTimers({ pool, clock, log: silent, kinds, ...(redis && { redis: redis.url }) });
      await game.lifecycle.boot();
      return game;
    };
    const game = { now: await start() };
    onTestFinished(async () => {
      await game.now.lifecycle.shutdown();
      await redis?.stop();
    });
    const pass = async (ms: number) => {
      clock.advance(ms);
      await game.now.runDue();
    };
    const restartAfter = async (ms: number) => {
      await game.now.lifecycle.shutdown();
      clock.advance(ms);
      game.now = await start();
      await game.now.runDue();
    };
    return { game, pass, restartAfter };
  };

  it.skipIf(isRedis && inject('redisUrl') === '')(
    'a recurrence lives through many rounds and a deployment without drift, and what was away is judged',
    async () => {
      const fired: FiredTimer[] = [];
      const { game, pass, restartAfter } = await open(fired);
      const timer = (kind: string) => ({ kind, subject: 's', owner: 'ann', dueAtMs: NOW_MS + DAY_MS });
      await game.now.timers.schedule([
        { ...timer('bonus'), every: { ms: DAY_MS } },
        { ...timer('letter'), cron: { expression: '0 9 * * *', timeZone: 'Europe/Berlin' } },
        timer('offer'),
      ]);
      await pass(DAY_MS - 1);
      expect(fired).toEqual([]);
      await pass(1);
      expect(fired.map(({ kind }) => kind).sort()).toEqual(['bonus', 'letter', 'offer']);
      fired.length = 0;
      // Each some milliseconds late, which do not add up.
      for (let round = 2; round <= ROUNDS; round += 1) await pass(DAY_MS + (round % 2 === 0 ? 7 : -7));
      const bonuses = fired.filter(({ kind }) => kind === 'bonus');
      expect(bonuses.map(({ turn, dueAtMs }) => dueAtMs - NOW_MS - turn * DAY_MS)).toEqual(Array(ROUNDS - 1).fill(0));
      fired.length = 0;
      await game.now.timers.schedule([{ ...timer('offer'), dueAtMs: NOW_MS + (ROUNDS + 1) * DAY_MS }]);
      await restartAfter(3.5 * DAY_MS);
      expect(fired).toHaveLength(2);
      expect(fired.find(({ kind }) => kind === 'bonus')).toMatchObject({
        turn: ROUNDS + 3,
        missed: 2,
        isMisfire: false,
      });
      expect(fired.find(({ kind }) => kind === 'letter')).toMatchObject({
        missed: expect.any(Number),
        isMisfire: true,
      });
      const [offer, bonus] = await game.now.timers.find([timer('offer'), timer('bonus')]);
      expect(offer).toMatchObject({ state: 'completed', result: { misfired: true, lateMs: expect.any(Number) } });
      expect(bonus).toMatchObject({ turn: ROUNDS + 4, dueAtMs: NOW_MS + (ROUNDS + 4) * DAY_MS });
    },
  );
});
