import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts';
import { onCopy } from '../../game/game-database.ts';
import { calmCommands, startGame } from '../../game/running-game.ts';
import { type Herd, moveHerd, seedHerd } from '../../game/seed-herd.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { SCHEMA } from '../../harness/stores.ts';

const WHEEL = 'on the wheel';
const REDIS = 'on Redis';
const OVERDUE = 'on the wheel, due for an hour at the start';
const SIZE = { quick: 5_000, full: 100_000 };
/** Each player can send four commands before its pet has eaten everything. */
const CALM_PLAYERS = 16_000;

/** Whether a herd of due timers leaves room for other players. */
export const herd: Row = {
  name: 'herd',
  about: `${SIZE.full.toLocaleString('en')} feedings due at one instant, each with its effect (xp, food, the next feeding by an auto-feed card, two events, two timers), beside 200 commands a second of other players: completions a second until the last is committed; from when a command should be sent until it is answered; how much more memory the process takes, at its height.`,
  rounds: 2,
  figures: [
    { name: 'perSec', unit: '/s' },
    ...inUnit('ms', 'command p50', 'command p99', 'command max'),
    { name: 'grown', unit: 'MB' },
  ],
  targets: [
    { of: WHEEL, figure: 'perSec', atLeast: 9000 },
    { of: REDIS, figure: 'perSec', atLeast: 6000 },
    { of: OVERDUE, figure: 'perSec', atLeast: 5000 },
    ...[WHEEL, REDIS, OVERDUE].map((of) => ({ of, figure: 'command p99', atMost: 150 })),
  ],
  prepare: async ({ stores, isQuick }) => {
    const seeded = await stores.migrated();
    const redisUrl = await stores.redisUrl();
    const count = isQuick ? SIZE.quick : SIZE.full;
    const herd: Herd = { name: 'herd', count, dueAtMs: Date.now(), everyMs: 0 };
    const calm: Herd = { name: 'calm', count: CALM_PLAYERS, dueAtMs: Date.now() + 3 * 3_600_000, everyMs: 10 };
    for (const each of [herd, calm]) await seedHerd(seeded.url, each);
    const run = (redis: string | undefined, isOverdue: boolean) => () =>
      runHerd(seeded, { herd, calm, redis, isOverdue });
    return {
      contenders: [
        { name: WHEEL, measure: run(undefined, false) },
        { name: REDIS, measure: run(redisUrl, false) },
        { name: OVERDUE, measure: run(undefined, true) },
      ],
    };
  },
};

/** Time to start and to warm up before the herd is due. */
const LEAD_MS = 8_000;
const POLL_MS = 250;
const LONGEST_MS = 120_000;

interface HerdPlan {
  readonly herd: Herd;
  readonly calm: Herd;
  /** Undefined: on the wheel. */
  readonly redis: string | undefined;
  /** Overdue by an hour at the start of the process; if not, due at one instant while it runs. */
  readonly isOverdue: boolean;
}

/** Lets a herd come due beside other players' commands, through all parts of a game's process. */
const runHerd = (seeded: TestDatabase, { herd, calm, redis, isOverdue }: HerdPlan): Promise<Sample> =>
  onCopy(seeded, async (url) => {
    const dueAtMs = Date.now() + (isOverdue ? -3_600_000 : LEAD_MS + herd.count / 20);
    await moveHerd(url, herd, dueAtMs);
    const { kibble, pool, close } = await startGame(url, redis);
    const commands = calmCommands(kibble, calm);
    try {
      if (!isOverdue) await sleep(Math.max(0, dueAtMs - Date.now()));
      commands.reset();
      const startedAtMs = performance.now() - (isOverdue ? 0 : Date.now() - dueAtMs);
      const memory = new MemoryWatch();
      while (await isAnyLeft(pool, dueAtMs)) {
        await sleep(POLL_MS);
        if (performance.now() - startedAtMs > LONGEST_MS) throw new Error('the herd did not end');
      }
      const tookMs = performance.now() - startedAtMs;
      const grown = memory.stop();
      const sample = { perSec: (herd.count / tookMs) * 1000, ...(await commands.stop()), grown };
      await checkHerd(pool, herd);
      return sample;
    } finally {
      await commands.end();
      await close();
    }
  });

const isAnyLeft = async (pool: Pool, dueAtMs: number): Promise<boolean> =>
  (await pool.query(`select from "${SCHEMA}".thing where due_at <= $1 limit 1`, [dueAtMs])).rowCount === 1;

/** Each player of the herd got the xp of one meal, eats the next one, and has both in the log; no other player got anything. */
const checkHerd = async (pool: Pool, { name, count }: Herd): Promise<void> => {
  const at = (table: string): string => `"${SCHEMA}".${table}`;
  const right = `select from ${at('home')} h join ${at('thing')} p using (player_id)
    where h.player_id like '${name}-%' and h.seq = 6 and p.state->'xp' = '10' and p.state#>>'{feeding,by}' = 'card'`;
  const { rowCount } = await pool.query(right);
  if (rowCount !== count) throw new Error(`${rowCount} of ${count} pets are as they should be`);
};

const MEMORY_EVERY_MS = 50;
const MB = 1_048_576;

/** The greatest growth of the process's memory since the begin, in MB. */
class MemoryWatch {
  readonly #fromMb = process.memoryUsage().rss / MB;
  #peakMb = this.#fromMb;
  readonly #timer = setInterval(() => {
    this.#peakMb = Math.max(this.#peakMb, process.memoryUsage().rss / MB);
  }, MEMORY_EVERY_MS).unref();

  stop(): number {
    clearInterval(this.#timer);
    return this.#peakMb - this.#fromMb;
  }
}
