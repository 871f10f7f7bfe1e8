import { type CardLoad, playCards, recordCards } from '../../game/card-load.ts';
import { seedGame } from '../../game/game-database.ts';
import { PLAYERS } from '../../game/players.ts';
import { replay } from '../../game/replay.ts';
import type { LoadResult } from '../../harness/in-flight.ts';
import type { Row, Sample } from '../../harness/row.ts';

const SERVICE = 'service';
const MEASURED = 'service with metrics';
const BARE = 'bare SQL in the same batches';
const UNBATCHED = 'one transaction a command';
const ALONE = 'service, one at a time';
const CONNECTIONS = 4;

/** What a card costs, and what the batches are worth. */
export const gameCommands: Row = {
  name: 'game-commands',
  about: `Cards of ${PLAYERS.toLocaleString('en')} players, speed-up and boost in turn, from the call to the answer: lock, idempotency, stock, feeding, timer, event, commit, index (wheel). 256 in flight on ${CONNECTIONS} connections; the same with each command measured; the same with a transaction for each command on 16; the statements of the first alone, sent again with the same parameters and round trips, without rules and service; and one command at a time.`,
  rounds: 5,
  figures: [
    { name: 'perSec', unit: '/s' },
    { name: 'p50', unit: 'ms' },
    { name: 'p99', unit: 'ms' },
  ],
  targets: [
    { of: SERVICE, figure: 'perSec', atLeast: 8000 },
    { of: SERVICE, figure: 'p99', atMost: 60 },
    { of: SERVICE, figure: 'perSec', against: BARE, atLeast: 0.6 },
    { of: SERVICE, figure: 'perSec', against: UNBATCHED, atLeast: 4 },
    { of: MEASURED, figure: 'perSec', against: SERVICE, atLeast: 0.97 },
    { of: ALONE, figure: 'p50', atMost: 2.5 },
  ],
  quick: {
    rounds: 3,
    guarded: [
      { of: SERVICE, figure: 'perSec', against: BARE, better: 'more' },
      { of: SERVICE, figure: 'perSec', against: UNBATCHED, better: 'more' },
      { of: MEASURED, figure: 'perSec', against: SERVICE, better: 'more' },
      { of: ALONE, figure: 'perSec', against: UNBATCHED, better: 'more' },
    ],
  },
  prepare: async ({ stores, isQuick }) => {
    const seeded = await seedGame(await stores.postgresUrl());
    const times = isQuick ? { warmUpMs: 400, lastsMs: 1000 } : { warmUpMs: 1000, lastsMs: 2500 };
    const many = { ...times, inFlight: 256, batchSize: 256, connections: CONNECTIONS };
    const recorded = await recordCards(seeded, many);
    const cards = async (load: CardLoad): Promise<Sample> => sampleOf(await playCards(seeded, load));
    return {
      contenders: [
        { name: SERVICE, measure: () => cards(many) },
        { name: MEASURED, measure: () => cards({ ...many, isMeasured: true }) },
        { name: BARE, measure: () => replay(seeded, recorded, CONNECTIONS) },
        { name: UNBATCHED, measure: () => cards({ ...many, batchSize: 1, connections: 16 }) },
        { name: ALONE, measure: () => cards({ ...many, inFlight: 1 }) },
      ],
      dispose: () => seeded.drop(),
    };
  },
};

const sampleOf = ({ perSec, p50Ms, p99Ms }: LoadResult): Sample => ({ perSec, p50: p50Ms, p99: p99Ms });
