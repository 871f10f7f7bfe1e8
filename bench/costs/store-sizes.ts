import type { TestDatabase } from '../../test/support/postgres/postgres-server.ts';
import { endTimers, insertTimers } from '../../test/support/postgres/timer-rows.ts';
import { onCopy, poolOf } from '../game/game-database.ts';
import { SCHEMA } from '../harness/migrated.ts';
import type { Sample } from '../harness/row.ts';

/** What a player has as long as it is one. */
const LASTING = ['home', 'thing'];
const FINISHED = 20_000;

/**
 * Bytes of Postgres, indexes included: of a player whose pet eats (without its log), of an event, and of a timer that
 * has ended and waits for its retention.
 */
export const storeSizes = async (eating: TestDatabase): Promise<Sample> => {
  const [played, finished] = [await onCopy(eating, sizes), await onCopy(eating, finishedTimer)];
  const players = played.counts.get('home') ?? Number.NaN;
  const lasting = LASTING.reduce((sum, table) => sum + (played.bytes.get(table) ?? 0), 0);
  return {
    player: lasting / players,
    event: (played.bytes.get('event') ?? Number.NaN) / (played.counts.get('event') ?? Number.NaN),
    'finished timer': finished,
  };
};

const sizes = async (url: string) => {
  const pool = poolOf(url, 1);
  const [bytes, counts] = [new Map<string, number>(), new Map<string, number>()];
  for (const table of [...LASTING, 'event']) {
    const name = `"${SCHEMA}".${table}`;
    await pool.query(`vacuum full ${name}`);
    const { rows } = await pool.query<{ bytes: string; count: string }>(
      `select pg_total_relation_size('${name}') as bytes, (select count(*) from ${name}) as count`,
    );
    bytes.set(table, Number(rows[0]?.bytes));
    counts.set(table, Number(rows[0]?.count));
  }
  await pool.end();
  return { bytes, counts };
};

const finishedTimer = async (url: string): Promise<number> => {
  const pool = poolOf(url, 1);
  const timer = `"${SCHEMA}".timer`;
  await pool.query(
    insertTimers(`select 'bench', 'order-' || n, 'player-' || n, 0 from generate_series(1, ${FINISHED}) n`),
  );
  await pool.query(endTimers('completed', 'true'));
  await pool.query(`vacuum full ${timer}`);
  const { rows } = await pool.query<{ bytes: string }>(
    `select pg_total_relation_size('${timer}')::float / count(*) as bytes from ${timer}`,
  );
  await pool.end();
  return Number(rows[0]?.bytes);
};
