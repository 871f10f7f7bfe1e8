import { type Commands, costOfCommand, costOfCompletion } from '../../costs/game-costs.ts';
import { storeSizes } from '../../costs/store-sizes.ts';
import { seedGame } from '../../game/game-database.ts';
import { cardOrder, openingOrders } from '../../game/players.ts';
import { createMigrated } from '../../harness/migrated.ts';
import type { Figure, Row } from '../../harness/row.ts';
import { type Herd, seedHerd } from '../../herd/seed-herd.ts';

const CARD = 'a card';
const FEED = 'a feed';
const ALONE = 'a card, one at a time';
const WHEEL = 'a completion, on the wheel';
const REDIS = 'a completion, on Redis';
const STORE = 'a player, an event';
const SIZE = { quick: 2_000, full: 10_000 };
const WAL: Figure = { name: 'WAL', unit: 'B' };

/** What is written and used for one of each: what sizes of machines are reckoned from (`docs/scale.md`). */
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
    const [postgresUrl, redisUrl] = [await stores.postgresUrl(), await stores.redisUrl()];
    const count = isQuick ? SIZE.quick : SIZE.full;
    // With those that warm up.
    const players = Math.ceil(count * 1.2);
    const adopted = await seedGame(postgresUrl, players, (number) => openingOrders(number).slice(0, 1));
    const eating = await seedGame(postgresUrl, players);
    const herded = await createMigrated(postgresUrl);
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
      dispose: async () => {
        for (const database of [adopted, eating, herded]) await database.drop();
      },
    };
  },
};
