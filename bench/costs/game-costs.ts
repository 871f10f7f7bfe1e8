import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { MemoryDueIndex } from '../../server/adapter/memory/memory-due-index.ts';
import type { HomeOrder } from '../../server/home/model/homes.ts';
import { IndexWriter } from '../../server/timer/index/index-writer.ts';
import type { TestDatabase } from '../../test/support/postgres/postgres-server.ts';
import { gameOn, onCopy, poolOf } from '../game/game-database.ts';
import { recordStatements } from '../game/statement-log.ts';
import { inLanes } from '../harness/in-lanes.ts';
import { SCHEMA } from '../harness/migrated.ts';
import type { Sample } from '../harness/row.ts';
import { startGame } from '../herd/running-game.ts';
import { type Herd, moveHerd } from '../herd/seed-herd.ts';
import { type Used, used } from './meter.ts';

export interface Commands {
  readonly seeded: TestDatabase;
  readonly redisUrl: string;
  readonly count: number;
  readonly inFlight: number;
  readonly orderOf: (number: number) => HomeOrder;
}

/** What one command costs, rules to commit and the wheel told; each of another player. */
export const costOfCommand = ({ seeded, redisUrl, count, inFlight, orderOf }: Commands): Promise<Sample> =>
  withAndWithoutImages(seeded, async (url) => {
    const pool = poolOf(url, 4);
    let statements = 0;
    recordStatements(pool, ({ roundTrips }) => {
      statements += roundTrips.flat().length;
    });
    const index = new MemoryDueIndex(systemClock);
    const indexWriter = new IndexWriter({ index });
    const { homes } = gameOn({
      pool,
      limits: { batchSize: 256, parallelBatches: 4 },
      updateIndex: (changes) => indexWriter.publish(changes),
    });
    await index.marks.begin(index.inUse.number);
    const play = async (number: number): Promise<void> => {
      const [outcome] = await homes.handle([orderOf(number)]);
      if (!outcome?.ok) throw new Error(`a command was refused: ${JSON.stringify(outcome)}`);
    };
    // Code and connections are warm before anything counts.
    const warmUp = Math.ceil(count / 5);
    await inLanes(warmUp, inFlight, play);
    await pool.query('checkpoint');
    statements = 0;
    const found = await used(pool, redisUrl, () => inLanes(count, inFlight, (number) => play(warmUp + number)));
    await homes.drain();
    await pool.end();
    return { ...perOne(found, count), statements: statements / count };
  });

const LEAD_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** What the end of one feeding costs, with xp, food, the next feeding and two events, when many are due. */
export const costOfCompletion = (
  seeded: TestDatabase,
  herd: Herd,
  { redisUrl, isOnRedis }: { readonly redisUrl: string; readonly isOnRedis: boolean },
): Promise<Sample> =>
  withAndWithoutImages(seeded, async (url) => {
    const dueAtMs = Date.now() + LEAD_MS;
    await moveHerd(url, herd, dueAtMs);
    const { pool, close } = await startGame(url, isOnRedis ? redisUrl : undefined);
    await sleep(Math.max(0, dueAtMs - 500 - Date.now()));
    await pool.query('checkpoint');
    const isAnyDue = async (): Promise<boolean> => {
      const due = `select from "${SCHEMA}".thing where due_at <= $1 limit 1`;
      return (await pool.query(due, [dueAtMs])).rowCount === 1;
    };
    const found = await used(pool, redisUrl, async () => {
      while (await isAnyDue()) await sleep(LOOK_EVERY_MS);
    });
    await close();
    return perOne(found, herd.count);
  });

const perOne = ({ walBytes, nodeMicros, postgresMicros, redisCommands, redisMicros }: Used, count: number) => ({
  WAL: walBytes / count,
  'Node CPU': nodeMicros / count,
  'Postgres CPU': postgresMicros / count,
  'Redis commands': redisCommands / count,
  'Redis CPU': redisMicros / count,
});

/**
 * The first change of a page after a checkpoint writes the whole page to the WAL: all figures are of a run without these
 * images, and the WAL of a run with them, right after a checkpoint, stands beside it.
 */
const withAndWithoutImages = async (
  seeded: TestDatabase,
  measure: (url: string) => Promise<Sample>,
): Promise<Sample> => {
  await writeImages(seeded, true);
  const withImages = await onCopy(seeded, measure);
  await writeImages(seeded, false);
  const without = await onCopy(seeded, measure).finally(() => writeImages(seeded, true));
  return { ...without, 'WAL with images': withImages.WAL ?? Number.NaN };
};

const writeImages = async ({ url }: TestDatabase, isOn: boolean): Promise<void> => {
  // The seeded database itself must stay without connections.
  const pool = poolOf(new URL('/postgres', url).href, 1);
  await pool.query(`alter system set full_page_writes = ${isOn ? 'on' : 'off'}`);
  await pool.query('select pg_reload_conf()');
  await pool.end();
  await sleep(200);
};
