import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { random } from '../../server/adapter/machine/random.ts';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { MemoryDueIndex } from '../../server/adapter/memory/memory-due-index.ts';
import { withTransaction } from '../../server/adapter/postgres/transaction.ts';
import type { DueIndex } from '../../server/timer/index/due-index.ts';
import type { IndexChanges } from '../../server/timer/model/index-entry.ts';
import type { TimerStore, Tx } from '../../server/timer/model/timer-store.ts';
import { LATEST_MS } from '../../shared/latest-ms.ts';
import { beginGeneration, beginInUse } from '../support/engine/due-index.ts';
import { neverExclusive, orders, runningEngine } from '../support/engine/running-engine.ts';
import { plantedPiece, sabotaged } from '../support/engine/sabotaged.ts';
import { recordEffects } from '../support/engine/timer-engine.ts';
import { homeDatabase } from '../support/postgres/home-database.ts';
import { createTimerDatabase } from '../support/postgres/timer-database.ts';

/*
 * What the index is told before the commit is no danger to what is true: rows decide, the sweeper fires what the index
 * lost, and the reconciler removes what it has too much. So the faults show only where the safety net is taken away,
 * and in the index itself.
 */

const DISAGREE = 'rows and index disagree';

/** Throws when the index has not exactly the scheduled rows. */
const agree = async (pool: Pool, index: DueIndex): Promise<void> => {
  const { rows } = await pool.query('select id::text from kibble.timers order by timers.id');
  const entries = await index.orders.between(0, LATEST_MS, 10_000);
  const ids = entries.map(({ timerId }) => timerId).sort((left, right) => Number(left) - Number(right));
  expect(ids, DISAGREE).toEqual(rows.map(({ id }) => id));
};

describe.skipIf(inject('redisUrl') === '')('a fault planted in the engine is found, without the safety net,', () => {
  let database: Awaited<ReturnType<typeof createTimerDatabase>>;
  const stops: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    database = await createTimerDatabase(inject('postgresUrl'));
    await database.pool.query('create table effect (timer bigint, at bigint)');
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await database.dispose();
  });
  const start = async (faults: Pick<Parameters<typeof runningEngine>[0], 'plant' | 'sabotage'>) => {
    const prefix = random.uniqueName();
    const node = await runningEngine({ pool: database.pool, prefix, exclusive: neverExclusive, ...faults });
    stops.push(node.stop);
    node.engine.register({ kind: 'order', fire: recordEffects });
    await node.engine.join();
    await beginInUse(node.index);
    return node;
  };
  const effects = async (): Promise<number> => (await database.pool.query('select from effect')).rowCount ?? 0;

  /** Twenty timers that are due fire, each once. */
  const fireAll = async (plant?: (lua: string) => string): Promise<void> => {
    const { engine, store } = await start(plant ? { plant } : {});
    await engine.timers.schedule(orders(20, -1000, await store.nowMs()));
    await engine.runDue();
    expect(await effects(), 'timers were lost').toBe(20);
  };

  it('none where nothing is planted', () => fireAll());

  it('a hand-off that drops what it takes', async () => {
    const { plant, isPlanted } = plantedPiece(`redis.call('XADD', stream, '*', unpack(fields))`, '');
    await expect(fireAll(plant)).rejects.toThrow('timers were lost');
    expect(isPlanted()).toBe(true);
  });

  /** The steps of a transaction between its work and its end. */
  type Ending = () => Promise<void>;
  const endsWith = (store: TimerStore, ending: Ending): TimerStore =>
    sabotaged(store, {
      transaction: (work) =>
        store.transaction(async (tx, nowMs) => {
          const answer = await work(tx, nowMs);
          await ending();
          return answer;
        }),
    });
  /** The planted fault: the answer, and with it what the index is told, comes before the end. */
  const tellsBefore = (store: TimerStore, ending: Ending): TimerStore =>
    sabotaged(store, {
      transaction: <T>(work: (tx: Tx, nowMs: number) => Promise<T>) =>
        new Promise<T>((resolve, reject) => {
          const committed = store.transaction(async (tx, nowMs) => {
            const working = work(tx, nowMs);
            resolve(working);
            await working;
            await ending();
          });
          committed.catch(reject);
        }),
    });

  /** Timers that are due are written by a transaction that takes its time to commit, while the engine looks. */
  const commitSlowly = async (withEnding: typeof endsWith) => {
    const committing = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const ending = (): Promise<void> => {
      written.resolve();
      return committing.promise;
    };
    // Later transactions are as they ought to be.
    const once = (store: TimerStore): TimerStore => {
      let slow: TimerStore | undefined = withEnding(store, ending);
      return sabotaged(store, {
        transaction: (work) => {
          const first = slow ?? store;
          slow = undefined;
          return first.transaction(work);
        },
      });
    };
    const node = await start({ sabotage: once });
    const nowMs = await node.store.nowMs();
    const scheduled = node.engine.timers.transaction((timers) => timers.schedule(orders(20, -1000, nowMs)));
    await written.promise;
    if (withEnding === tellsBefore) await scheduled;
    await node.engine.runDue();
    committing.resolve();
    await scheduled;
    // Copies of one template have the same numbers of tables.
    const isOpen = `select from pg_locks where relation = 'kibble.timer'::regclass and mode = 'RowExclusiveLock'
      and database = (select oid from pg_database where datname = current_database())`;
    while ((await database.pool.query(isOpen)).rowCount !== 0);
    await node.engine.runDue();
    return node;
  };

  it('index before commit, where the commit is slow: the timer is handed off before anybody sees its row', async () => {
    await commitSlowly(endsWith);
    expect(await effects()).toBe(20);
    const { engine } = await commitSlowly(tellsBefore);
    expect(await effects(), 'none of the others').toBe(20);
    // The safety net saves them.
    await engine.sweep();
    expect(await effects()).toBe(40);
  });

  const failToCommit = async (withEnding: typeof endsWith): Promise<void> => {
    const fails = () => Promise.reject(new Error('no commit'));
    const { engine, index, store } = await start({ sabotage: (inner) => withEnding(inner, fails) });
    const nowMs = await store.nowMs();
    const scheduled = engine.timers.transaction((timers) => timers.schedule(orders(20, 60_000, nowMs)));
    await scheduled.catch(() => undefined);
    await agree(database.pool, index);
  };

  it('index before commit, where the commit fails: the index has timers that nobody has', async () => {
    await failToCommit(endsWith);
    await expect(failToCommit(tellsBefore)).rejects.toThrow(DISAGREE);
  });
});

describe('a fault planted in the write path of the homes is found:', () => {
  /** Two players feed; the database refuses the commit of one. Throws when rows and index disagree then. */
  const feedTwo = async (isEarly: boolean): Promise<void> => {
    const database = await homeDatabase(inject('postgresUrl'));
    const { pool, store } = database;
    try {
      await pool.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no commit'; end $$;
        create constraint trigger refuse after update on kibble.thing deferrable initially deferred
        for each row when (new.player_id = 'bad') execute function refuse()`);
      const index = new MemoryDueIndex(systemClock);
      await beginGeneration(index);
      const telling: Promise<unknown>[] = [];
      const updateIndex = ({ put, remove }: IndexChanges): void => {
        telling.push(index.orders.put(put), index.orders.remove(remove));
      };
      const early = sabotaged(store, {
        change: (request, decide) =>
          withTransaction(pool, async (tx) => {
            const saved = await store.changeIn(tx, request, decide);
            updateIndex(saved.index);
            return saved;
          }),
      });
      const service = database.service({ store: isEarly ? early : store, updateIndex, onFault: () => undefined });
      for (const playerId of ['good', 'bad']) {
        const adopt = { type: 'home:adopt', name: 'Rex', species: 'dog' } as const;
        const [adopted] = await service.handle([{ playerId, commandId: 'adopt-a-dog', command: adopt }]);
        const petId = adopted?.ok ? (adopted.value.petId ?? '') : '';
        const feed = { type: 'home:feed', petId, food: 'dog-food' } as const;
        const [fed] = await service.handle([{ playerId, commandId: 'feed-the-dog', command: feed }]);
        expect(fed?.ok).toBe(playerId === 'good');
      }
      await Promise.all(telling);
      await agree(pool, index);
    } finally {
      await database.drop();
    }
  };

  it('none where nothing is planted', () => feedTwo(false));

  it('index before commit', async () => {
    await expect(feedTwo(true)).rejects.toThrow(DISAGREE);
  });
});
