import type { Pool } from 'pg';
import { random } from '../../server/adapter/machine/random.ts';
import { createKibble, type Kibble } from '../../server/kibble.ts';
import { silentLog } from '../../test/support/log/silent-log.ts';
import { poolOf } from '../game/game-database.ts';
import { SCHEMA } from '../harness/migrated.ts';

/** As a server has by default. */
const CONNECTIONS = 16;

export interface RunningGame {
  readonly kibble: Kibble;
  readonly pool: Pool;
  close(): Promise<void>;
}

/** All that a process of the game has, without its rooms: started. Without `redis` on the wheel. */
export const startGame = async (url: string, redis: string | undefined): Promise<RunningGame> => {
  const pool = poolOf(url, CONNECTIONS);
  const kibble = createKibble({
    pool,
    schema: SCHEMA,
    log: silentLog,
    playerId: ({ sub }: { sub: string }) => sub,
    ...(redis === undefined ? {} : { redis, redisPrefix: random.uniqueName() }),
  });
  await kibble.lifecycle.boot();
  const close = async (): Promise<void> => {
    await kibble.lifecycle.shutdown();
    await pool.end();
  };
  return { kibble, pool, close };
};
