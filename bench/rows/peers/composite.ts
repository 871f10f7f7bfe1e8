import path from 'node:path';
import { type CompositeLoad, runComposite } from '../../composite/composite-run.ts';
import { playCards } from '../../game/card-load.ts';
import { seedGame } from '../../game/game-database.ts';
import { PLAYERS } from '../../game/players.ts';
import { emptyRedis } from '../../harness/empty-redis.ts';
import type { LoadResult } from '../../harness/in-flight.ts';
import { installOwnPackage } from '../../harness/own-package.ts';
import type { Row, Sample } from '../../harness/row.ts';

const OURS = 'a card of ours';
const THEIRS = 'composite';
const LESS = 'composite, Redis each second';
const OURS_ALONE = 'a card of ours, one at a time';
const THEIRS_ALONE = 'composite, one at a time';
const IN_FLIGHT = 256;
/** Of ours: batches need no more. */
const CONNECTIONS = 4;
const POOLS = [4, 16, 32];

/** What would be built instead: Postgres for the game, BullMQ for the moment, an outbox between them. */
export const composite: Row = {
  name: 'composite',
  about: `Cards of ${PLAYERS.toLocaleString('en')} players, ${IN_FLIGHT} in flight and one at a time, beside what a studio would build instead ([bench/composite](../composite)): a transaction of Postgres that spends the card, moves the due time and writes an outbox row, prepared and in one round trip, on the best of pools of ${POOLS.join(', ')}; a relay in a process of its own that moves BullMQ's delays 500 rows a time, on a Redis with appendfsync always, so that a moved delay is on disk before its outbox row goes, and as Redis comes. Commands a second are until the last delay is moved; p50 and p99 until the commit. Each run is checked: each card spent once, each job where its feeding is. A card of ours does more: it is idempotent, settles, obeys the catalogue, and writes events.`,
  rounds: 5,
  figures: [
    { name: 'perSec', unit: '/s' },
    { name: 'p50', unit: 'ms' },
    { name: 'p99', unit: 'ms' },
    { name: 'connections', unit: 'count' },
  ],
  targets: [
    { of: OURS, figure: 'perSec', against: THEIRS, atLeast: 10, isInEachRound: true },
    { of: OURS_ALONE, figure: 'p50', against: THEIRS_ALONE, atMost: 1, isInEachRound: true },
  ],
  prepare: async ({ stores, isQuick }) => {
    installOwnPackage(path.join(import.meta.dirname, '../../peers'), 'the peers', () => undefined);
    const [serverUrl, redisUrl] = [await stores.postgresUrl(), await stores.redisUrl()];
    const players = isQuick ? PLAYERS / 10 : PLAYERS;
    const seeded = await seedGame(serverUrl, players);
    const times = isQuick ? { warmUpMs: 300, lastsMs: 800 } : { warmUpMs: 1_000, lastsMs: 2_500 };
    const base = { serverUrl, redisUrl, players, ...times, inFlight: IN_FLIGHT, appendfsync: 'always' } as const;
    const connections = await bestPool(base);
    const many = { ...base, connections };
    const alone = { ...many, inFlight: 1, connections: 1 };
    const ours = { ...times, players, inFlight: IN_FLIGHT, batchSize: IN_FLIGHT, connections: CONNECTIONS };
    return {
      contenders: [
        { name: OURS, measure: async () => sampleOf(await playCards(seeded, ours), CONNECTIONS) },
        { name: THEIRS, measure: () => cards(many) },
        { name: LESS, measure: () => cards({ ...many, appendfsync: 'everysec' }) },
        {
          name: OURS_ALONE,
          measure: async () => sampleOf(await playCards(seeded, { ...ours, inFlight: 1 }), CONNECTIONS),
        },
        { name: THEIRS_ALONE, measure: () => cards(alone) },
      ],
      dispose: async () => {
        await emptyRedis(redisUrl);
        await seeded.drop();
      },
    };
  },
};

const cards = async (load: CompositeLoad): Promise<Sample> => sampleOf(await runComposite(load), load.connections);

const sampleOf = ({ perSec, p50Ms, p99Ms }: LoadResult, connections: number): Sample => ({
  perSec,
  p50: p50Ms,
  p99: p99Ms,
  connections,
});

/** With which the composite does most. */
const bestPool = async (load: Omit<CompositeLoad, 'connections'>): Promise<number> => {
  let best = { connections: 0, perSec: 0 };
  for (const connections of POOLS) {
    const { perSec } = await runComposite({ ...load, connections });
    if (perSec > best.perSec) best = { connections, perSec };
  }
  return best.connections;
};
