import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts';
import { onCopy, poolOf } from '../../game/game-database.ts';
import { calmCommands, startGame } from '../../game/running-game.ts';
import { type Herd, seedHerd } from '../../game/seed-herd.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { seedPending } from '../../timers/due-times.ts';
import { MANY, MANY_TEXT } from '../../timers/many.ts';

const REDIS = 'Redis, emptied';
const POLL_EVERY_MS = 20;
const LONGEST_MS = 120_000;
const WARM_UP_MS = 3_000;

/** How long a lost index takes to be whole again. */
export const rebuild: Row = {
  name: 'rebuild',
  about: `Redis is emptied while ${MANY_TEXT} timers wait and 200 commands a second are played: from then until the index is noticed to be lost, refilled from the rows and whole; from when a command should be sent until it is answered.`,
  rounds: 2,
  figures: [{ name: 'whole', unit: 's' }, ...inUnit('ms', 'command p50', 'command p99', 'command max')],
  targets: [{ of: REDIS, figure: 'whole', atMost: 15 }],
  prepare: async ({ stores, isQuick }) => {
    const seeded = await stores.migrated();
    const redisUrl = await stores.redisUrl();
    const calm: Herd = { name: 'calm', count: 8_000, dueAtMs: Date.now() + 3 * 3_600_000, everyMs: 10 };
    await seedHerd(seeded.url, calm);
    const pool = poolOf(seeded.url, 1);
    await seedPending(pool, isQuick ? 50_000 : MANY);
    await pool.end();
    return {
      contenders: [{ name: REDIS, measure: () => runRebuild(seeded, redisUrl, calm) }],
    };
  },
};

const runRebuild = (seeded: TestDatabase, redisUrl: string, calm: Herd): Promise<Sample> =>
  onCopy(seeded, async (url) => {
    const { kibble, close } = await startGame(url, redisUrl);
    const becomes = async (isWhole: boolean): Promise<void> => {
      const giveUpAtMs = performance.now() + LONGEST_MS;
      while ((kibble.health.degraded()?.length === 0) !== isWhole) {
        await sleep(POLL_EVERY_MS);
        if (performance.now() > giveUpAtMs) throw new Error(`the index did not become ${isWhole ? 'whole' : 'lost'}`);
      }
    };
    await becomes(true);
    const commands = calmCommands(kibble, calm);
    const admin = new Redis(redisUrl);
    try {
      await sleep(WARM_UP_MS);
      commands.reset();
      const startedAtMs = performance.now();
      await admin.flushall('ASYNC');
      await becomes(false);
      await becomes(true);
      const whole = (performance.now() - startedAtMs) / 1000;
      return { whole, ...(await commands.stop()) };
    } finally {
      admin.disconnect();
      await commands.end();
      await close();
    }
  });
