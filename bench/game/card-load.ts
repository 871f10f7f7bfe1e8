import { Registry } from '@prometheus-io/client';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { MemoryDueIndex } from '../../server/adapter/memory/memory-due-index.ts';
import { homeMetrics } from '../../server/telemetry/home-metrics.ts';
import { IndexWriter } from '../../server/timer/index/index-writer.ts';
import type { TestDatabase } from '../../test/support/postgres/postgres-server.ts';
import { petsModules } from '../../testing/pets-engine.ts';
import { type Load, type LoadResult, underLoad } from '../harness/load.ts';
import { cardOrder, gameOn, onCopy, poolOf } from './game-database.ts';

export interface CardLoad extends Load {
  readonly connections: number;
  readonly batchSize: number;
  /** Of the seeded database; default `PLAYERS`. */
  readonly players?: number;
  /** With the metrics that the server always has. */
  readonly isMeasured?: boolean;
}

/** Plays cards through the whole service, with the timing wheel; a connection runs one batch at a time. */
export const playCards = (seeded: TestDatabase, load: CardLoad): Promise<LoadResult> =>
  onCopy(seeded, (url) => playOn(poolOf(url, load.connections), load));

/** The same, but records the statements that are sent to Postgres. */
export const recordCards = async (seeded: TestDatabase, load: CardLoad): Promise<readonly RecordedTransaction[]> => {
  const recorded: RecordedTransaction[] = [];
  await onCopy(seeded, (url) => {
    const pool = poolOf(url, load.connections);
    recordStatements(pool, (transaction) => recorded.push(transaction));
    return playOn(pool, load);
  });
  return recorded;
};

const playOn = async (pool: Pool, load: CardLoad): Promise<LoadResult> => {
  const index = new MemoryDueIndex(systemClock);
  const indexWriter = new IndexWriter({ index });
  const { homes, timers } = gameOn({
    pool,
    limits: { batchSize: load.batchSize, parallelBatches: load.connections },
    updateIndex: (changes) => indexWriter.publish(changes),
    ...(load.isMeasured
      ? {
          measure: {
            clock: systemClock,
            observe: homeMetrics(new Registry(), { commandModules: petsModules().commandModules, modules: [] }),
            slow: () => undefined,
          },
        }
      : {}),
  });
  await index.marks.begin(index.inUse.number);
  await index.orders.put((await timers.page(undefined, 1_000_000)).entries);
  try {
    return await underLoad(load, async (number) => {
      const [outcome] = await homes.handle([cardOrder(number, load.players)]);
      if (!outcome?.ok) throw new Error(`a card was refused: ${JSON.stringify(outcome)}`);
    });
  } finally {
    await homes.drain();
    await pool.end();
  }
};

type Sent = string | QueryConfig;

/** The statements of one transaction. */
export interface RecordedTransaction {
  /** Statements that do not wait for an earlier response share a round trip. */
  readonly roundTrips: readonly (readonly Sent[])[];
}

/** Listens to the transactions of a pool. */
export const recordStatements = (pool: Pool, onTransaction: (transaction: RecordedTransaction) => void): void => {
  pool.on('connect', (client) => recordClient(client, onTransaction));
};

const recordClient = (client: PoolClient, onTransaction: (transaction: RecordedTransaction) => void): void => {
  const send = client.query.bind(client) as (...said: unknown[]) => unknown;
  let roundTrips: Sent[][] = [];
  let unanswered = 0;
  const query = (...said: unknown[]): unknown => {
    const [sent, told] = said;
    // Another call comes from the pool itself, outside of a transaction.
    if (said.length !== 2 || typeof told !== 'function') return send(...said);
    if (unanswered === 0) roundTrips.push([]);
    roundTrips.at(-1)?.push(sent as Sent);
    unanswered += 1;
    send(sent, (...reply: unknown[]) => {
      unanswered -= 1;
      told(...reply);
    });
    if (sent !== 'commit') return undefined;
    onTransaction({ roundTrips });
    roundTrips = [];
    return undefined;
  };
  Object.assign(client, { query });
};

/** The number of homes that the transaction locks: its first statement with parameters has their list. */
export const homesIn = ({ roundTrips }: RecordedTransaction): number => {
  const lock = roundTrips.flat().find((sent) => typeof sent === 'object' && sent.values?.length);
  const [playerIds] = (typeof lock === 'object' && lock.values) || [];
  if (!Array.isArray(playerIds)) throw new Error('a transaction that does not begin with the lock of its homes');
  return playerIds.length;
};
