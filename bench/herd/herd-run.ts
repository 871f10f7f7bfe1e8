import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { random } from '../../server/adapter/random.ts';
import { createKibble } from '../../server/kibble.ts';
import type { Database } from '../../test/support/postgres-server.ts';
import { silentLog } from '../../test/support/silent-log.ts';
import { onCopy, poolOf } from '../game/game-database.ts';
import { SCHEMA } from '../harness/migrated.ts';
import type { Sample } from '../harness/row.ts';
import { CommandStream } from './command-stream.ts';
import { MemoryWatch } from './memory-watch.ts';
import { type Herd, herdPlayer, moveHerd } from './seed-herd.ts';

/** As a server has by default. */
const CONNECTIONS = 16;
const COMMANDS_PER_SEC = 200;
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
export const runHerd = (seeded: Database, plan: HerdPlan): Promise<Sample> =>
  onCopy(seeded, async (url) => {
    const { herd, calm, redis, isOverdue } = plan;
    const dueAtMs = Date.now() + (isOverdue ? -3_600_000 : LEAD_MS + herd.count / 20);
    await moveHerd(url, herd, dueAtMs);
    const pool = poolOf(url, CONNECTIONS);
    const kibble = createKibble({
      ...{ pool, schema: SCHEMA, log: silentLog, playerId: ({ sub }: { sub: string }) => sub },
      ...(redis === undefined ? {} : { redis, redisPrefix: random.uniqueName() }),
    });
    const commands = new CommandStream(
      kibble.homes,
      (number) => herdPlayer(calm, number % calm.count),
      COMMANDS_PER_SEC,
    );
    await kibble.lifecycle.boot();
    commands.start();
    if (!isOverdue) await sleep(Math.max(0, dueAtMs - Date.now()));
    commands.reset();
    const startedAtMs = isOverdue ? performance.now() : performance.now() - (Date.now() - dueAtMs);
    const memory = new MemoryWatch();
    while (await isAnyDue(pool, dueAtMs)) {
      await sleep(LOOK_EVERY_MS);
      if (performance.now() - startedAtMs > LONGEST_MS) throw new Error('the herd did not end');
    }
    const tookMs = performance.now() - startedAtMs;
    const sample = { perSec: (herd.count / tookMs) * 1000, ...commands.sample(), grown: memory.stop() };
    await commands.stop();
    await kibble.lifecycle.shutdown();
    await checkHerd(pool, herd);
    await pool.end();
    return sample;
  });

const isAnyDue = async (pool: Pool, dueAtMs: number): Promise<boolean> => {
  const due = `select from "${SCHEMA}".timer where state = 'scheduled' and fire_at <= $1 limit 1`;
  return (await pool.query(due, [dueAtMs])).rowCount === 1;
};

/** Everybody got the xp of one meal, the next one is on the table, and the log says so; nobody else got anything. */
const checkHerd = async (pool: Pool, { name, count }: Herd): Promise<void> => {
  const at = (table: string): string => `"${SCHEMA}".${table}`;
  const right = `select from ${at('home')} h join ${at('pet')} p using (player_id)
    join ${at('feeding')} f on f.pet_id = p.pet_id and f.state = 'running'
    where h.player_id like '${name}-%' and h.seq = 6 and p.xp = 10 and f.fed_by = 'card'`;
  const { rowCount } = await pool.query(right);
  if (rowCount !== count) throw new Error(`${rowCount} of ${count} pets are as they should be`);
};
