import { onTestFinished } from 'vitest';
import { createKibble, type GameCommand, type Kibble } from '../../../server/kibble.ts';
import { recordedLog } from '../log/logs.ts';
import { hostDatabase } from '../postgres/host-database.ts';

/** A meal takes a fifth of a second. */
const rules = {
  foods: { 'dog-food': { workMs: 200, xp: 10 }, feast: { workMs: 3_600_000, xp: 10 } },
  starter: { items: { 'dog-food': 1000, feast: 1000 } },
};

interface Options {
  readonly url: string;
  readonly prefix?: string;
}

/** A game of its own database on this Redis, booted, that keeps its log; ends with the test. */
export const gameOnRedis = async ({ url, prefix = 'kibble' }: Options) => {
  const { pool } = await hostDatabase();
  const { log, lines, codes } = recordedLog();
  const kibble: Kibble = createKibble({
    pool,
    redis: url,
    redisPrefix: prefix,
    rules,
    log,
    playerId: ({ sub }) => sub,
  });
  let commands = 0;
  onTestFinished(() => kibble.lifecycle.shutdown());
  await kibble.lifecycle.boot();
  const ask = async (playerId: string, type: 'home:adopt' | 'home:feed', payload: object) => {
    commands += 1;
    const command = { playerId, type, payload: { commandId: `command-${commands}`, ...payload } } as GameCommand;
    const [outcome] = await kibble.homes.handle([command]);
    if (!outcome?.ok) throw new Error(`refused: ${JSON.stringify(outcome)}`);
    return outcome.value;
  };
  /** A new player's pet is given this food. */
  const feed = async (playerId: string, food = 'dog-food'): Promise<void> => {
    const { petId } = await ask(playerId, 'home:adopt', { name: 'Rex', species: 'dog' });
    await ask(playerId, 'home:feed', { petId, food });
  };
  /** How often a meal of these players was completed. */
  const completed = async (playerIds: readonly string[]): Promise<number> => {
    const found = await pool.query(
      "select from kibble.event where player_id = any($1) and type = 'feeding-completed'",
      [playerIds],
    );
    return found.rowCount ?? 0;
  };
  return { kibble, pool, lines, codes, feed, completed, degraded: () => kibble.health.degraded() };
};
