import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { MemoryDueIndex } from '../../../server/adapter/memory/memory-due-index.ts';
import type { HomeOrder } from '../../../server/home/model/homes.ts';
import { IndexWriter } from '../../../server/timer/index/index-writer.ts';
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts';
import { endTimers, insertTimers } from '../../../test/support/postgres/timer-database.ts';
import { recordStatements } from '../../game/card-load.ts';
import { cardOrder, gameOn, onCopy, openingOrders, poolOf, seedGame } from '../../game/game-database.ts';
import { startGame } from '../../game/running-game.ts';
import { type Herd, moveHerd, seedHerd } from '../../game/seed-herd.ts';
import { inLanes } from '../../harness/load.ts';
import { type Used, used } from '../../harness/meter.ts';
import type { Figure, Row, Sample } from '../../harness/row.ts';
import { SCHEMA } from '../../harness/stores.ts';

const CARD = 'a card';
const FEED = 'a feed';
const ALONE = 'a card, one at a time';
const WHEEL = 'a completion, on the wheel';
const REDIS = 'a completion, on Redis';
const STORE = 'a player, an event';
const SIZE = { quick: 2_000, full: 10_000 };
const WAL: Figure = { name: 'WAL', unit: 'B' };

/** The writes and CPU of one of each, from which machines are sized (`docs/scale.md`). */
export const costs: Row = {
  name: 'costs',
  about: `For each of ${SIZE.full.toLocaleString('en')} players' commands, 256 in flight, and for each of as many feedings that end at once (with the next feeding by a card): bytes of WAL without images of whole pages, and with all of them, as right after a checkpoint; statements; commands of Redis, those inside its scripts included; CPU of the process, of Postgres and of Redis. And bytes of Postgres, indexes included, for a player with a pet that eats, and for each event of the log and each finished timer.`,
  rounds: 3,
  figures: [
    ...[WAL, { name: 'WAL with images', unit: 'B' } as const],
    ...[{ name: 'statements', unit: 'count' } as const, { name: 'Redis commands', unit: 'count' } as const],
    ...(['Node CPU', 'Postgres CPU', 'Redis CPU'] as const).map((name): Figure => ({ name, unit: 'µs' })),
    ...(['player', 'event', 'finished timer'] as const).map((name): Figure => ({ name, unit: 'B' })),
  ],
  targets: [],
  quick: {
    rounds: 1,
    guarded: [
      ...[CARD, FEED].map((of) => ({ of, figure: 'WAL', better: 'less' }) as const),
      { of: ALONE, figure: 'statements', better: 'less' },
      { of: STORE, figure: 'player', better: 'less' },
      { of: STORE, figure: 'event', better: 'less' },
    ],
  },
  prepare: async ({ stores, isQuick }) => {
    const redisUrl = await stores.redisUrl();
    const count = isQuick ? SIZE.quick : SIZE.full;
    // With those for the warm-up.
    const players = Math.ceil(count * 1.2);
    const adopted = await seedGame(stores, players, (number) => openingOrders(number).slice(0, 1));
    const eating = await seedGame(stores, players);
    const herded = await stores.migrated();
    const herd: Herd = { name: 'herd', count, dueAtMs: Date.now(), everyMs: 0 };
    await seedHerd(herded.url, herd);
    const cards: Commands = {
      seeded: eating,
      redisUrl,
      count,
      inFlight: 256,
      orderOf: (number) => cardOrder(number, players),
    };
    const feedOf: Commands['orderOf'] = (number) => {
      const [, feed] = openingOrders(number);
      if (!feed) throw new Error('a player opens with two orders');
      return feed;
    };
    return {
      contenders: [
        { name: CARD, measure: () => costOfCommand(cards) },
        { name: FEED, measure: () => costOfCommand({ ...cards, seeded: adopted, orderOf: feedOf }) },
        { name: ALONE, measure: () => costOfCommand({ ...cards, inFlight: 1, count: count / 10 }) },
        { name: WHEEL, measure: () => costOfCompletion(herded, herd, { redisUrl, isOnRedis: false }) },
        { name: REDIS, measure: () => costOfCompletion(herded, herd, { redisUrl, isOnRedis: true }) },
        { name: STORE, measure: () => storeSizes(eating) },
      ],
    };
  },
};

interface Commands {
  readonly seeded: TestDatabase;
  readonly redisUrl: string;
  readonly count: number;
  readonly inFlight: number;
  readonly orderOf: (number: number) => HomeOrder;
}

/** The cost of one command, from the rules to the commit and the wheel; each command of another player. */
const costOfCommand = ({ seeded, redisUrl, count, inFlight, orderOf }: Commands): Promise<Sample> =>
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
    // Code and connections are warm before the measurement.
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
const POLL_EVERY_MS = 50;

/** The cost of a feeding's end, with xp, food, the next feeding and two events, while many are due. */
const costOfCompletion = (
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
      while (await isAnyDue()) await sleep(POLL_EVERY_MS);
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
 * The first change of a page after a checkpoint writes the whole page to the WAL. All figures come from a run without
 * these images; the WAL of a run with them, right after a checkpoint, is shown beside it.
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

/** The lasting tables of a player. */
const LASTING = ['home', 'thing'];
const FINISHED = 20_000;

/**
 * Postgres' bytes, with indexes: for a player with an eating pet (without the log), for an event, and for a finished
 * timer during its retention.
 */
const storeSizes = async (eating: TestDatabase): Promise<Sample> => {
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
