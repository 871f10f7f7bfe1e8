import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { TestDatabase } from '../../test/support/postgres/postgres-server.ts';
import { onCopy } from '../game/game-database.ts';
import { SCHEMA } from '../harness/migrated.ts';
import type { Sample } from '../harness/row.ts';
import { COMMANDS_PER_SEC, CommandStream } from './command-stream.ts';
import { MemoryWatch } from './memory-watch.ts';
import { startGame } from './running-game.ts';
import { type Herd, herdPlayer, moveHerd } from './seed-herd.ts';

/** Time to start and to warm up before the herd is due. */
const LEAD_MS = 8_000;
const LOOK_EVERY_MS = 250;
const LONGEST_MS = 120_000;

export interface HerdPlan {
  readonly herd: Herd;
  readonly calm: Herd;
  /** Undefined: on the wheel. */
  readonly redis: string | undefined;
  /** Due for an hour when the process starts; else at one instant while it runs. */
  readonly isOverdue: boolean;
}

/** Lets a herd come due beside commands of other players, through all that a process of the game has. */
export const runHerd = (seeded: TestDatabase, { herd, calm, redis, isOverdue }: HerdPlan): Promise<Sample> =>
  onCopy(seeded, async (url) => {
    const dueAtMs = Date.now() + (isOverdue ? -3_600_000 : LEAD_MS + herd.count / 20);
    await moveHerd(url, herd, dueAtMs);
    const { kibble, pool, close } = await startGame(url, redis);
    const commands = new CommandStream(
      kibble.homes,
      (number) => herdPlayer(calm, number % calm.count),
      COMMANDS_PER_SEC,
    );
    commands.start();
    if (!isOverdue) await sleep(Math.max(0, dueAtMs - Date.now()));
    commands.reset();
    const startedAtMs = performance.now() - (isOverdue ? 0 : Date.now() - dueAtMs);
    const memory = new MemoryWatch();
    while (await isAnyLeft(pool, dueAtMs)) {
      await sleep(LOOK_EVERY_MS);
      if (performance.now() - startedAtMs > LONGEST_MS) throw new Error('the herd did not end');
    }
    const tookMs = performance.now() - startedAtMs;
    const sample = { perSec: (herd.count / tookMs) * 1000, ...commands.sample(), grown: memory.stop() };
    await commands.stop();
    await checkHerd(pool, herd);
    await close();
    return sample;
  });

const isAnyLeft = async (pool: Pool, dueAtMs: number): Promise<boolean> =>
  (await pool.query(`select from "${SCHEMA}".thing where due_at <= $1 limit 1`, [dueAtMs])).rowCount === 1;

/** Everybody got the xp of one meal, the next one is on the table, and the log says so; nobody else got anything. */
const checkHerd = async (pool: Pool, { name, count }: Herd): Promise<void> => {
  const at = (table: string): string => `"${SCHEMA}".${table}`;
  const right = `select from ${at('home')} h join ${at('thing')} p using (player_id)
    where h.player_id like '${name}-%' and h.seq = 6 and p.state->'xp' = '10' and p.state#>>'{feeding,by}' = 'card'`;
  const { rowCount } = await pool.query(right);
  if (rowCount !== count) throw new Error(`${rowCount} of ${count} pets are as they should be`);
};
