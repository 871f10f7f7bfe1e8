import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { hostInventory } from '../../../server/adapter/postgres/home/host-inventory.ts';
import type { Commit } from '../../../server/home/model/commit.ts';
import { OutcomeUnknown, StoreFault } from '../../../server/home/model/faults.ts';
import type { HomeOrder } from '../../../server/home/model/homes.ts';
import type { Inventory } from '../../../server/home/model/inventory.ts';
import { limits } from '../../../server/settings/config.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import { storeWith } from '../../support/game/fake-homes.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

let database: HomeDatabase;
beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());

const adopt = (playerId: string): HomeOrder => ({
  playerId,
  commandId: `adopt-for-${playerId}`,
  command: { type: 'home:adopt', name: 'Rex', species: 'dog' },
});

const quiet = { onFault: () => undefined };

describe('when a transaction fails', () => {
  it('for one bad home, all others of the batch are served', async () => {
    const store = storeWith(database.store, (request, decide) =>
      request.playerIds.includes('bad')
        ? Promise.reject(new StoreFault('failed', 'planted'))
        : database.store.change(request, decide),
    );
    const homes = database.service({ store, ...quiet });
    const outcomes = await homes.handle(['a1', 'a2', 'bad', 'a3', 'a4'].map(adopt));
    expect(outcomes.map((outcome) => (outcome.ok ? 'done' : outcome.error.code))).toEqual([
      'done',
      'done',
      'server/unavailable',
      'done',
      'done',
    ]);
  });

  it('slowly each time, its players are refused within seconds, not one after the other', async () => {
    let nowMs = 0;
    let tries = 0;
    const store = storeWith(database.store, () => {
      tries += 1;
      nowMs += 1000;
      return Promise.reject(new StoreFault('failed', 'a table is locked'));
    });
    const clock = { after: heldPauses().clock.after, monotonicMs: () => nowMs };
    const outcomes = await database.service({ store, clock, ...quiet }).handle(names('slow', 64).map(adopt));
    expect(new Set(outcomes.map((outcome) => (outcome.ok ? 'done' : outcome.error.code)))).toEqual(
      new Set(['server/unavailable']),
    );
    expect(tries).toBeLessThan(20);
  });

  it('because the store is away, the answer says that nothing was done', async () => {
    const store = storeWith(database.store, () => Promise.reject(new StoreFault('down', 'planted')));
    const [outcome] = await database.service({ store, ...quiet }).handle([adopt('b1')]);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'server/unavailable', retryable: true } });
  });
});

describe('players who come at once', () => {
  const sizesOf = async (players: number): Promise<readonly number[]> => {
    const sizes: number[] = [];
    const store = storeWith(database.store, (request, decide) => {
      sizes.push(request.playerIds.length);
      return database.store.change(request, decide);
    });
    const orders = Array.from({ length: players }, (_, at) => adopt(`crowd-${players}-${at}`));
    const outcomes = await database.service({ store }).handle(orders);
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    return sizes;
  };

  it('share one transaction when they are few, and all the free batches when they are many', async () => {
    expect(await sizesOf(32)).toEqual([32]);
    expect(await sizesOf(40)).toEqual([32, 8]);
    expect(await sizesOf(200)).toEqual([50, 50, 50, 50]);
  });
});

describe("when the commit's answer is lost", () => {
  it('the outcome is unknown; the same command finds it; followers see what it brought', async () => {
    let isLost = true;
    const store = storeWith(database.store, async (request, decide) => {
      const changes = await database.store.change(request, decide);
      if (!isLost || request.commands.length === 0) return changes;
      isLost = false;
      throw new StoreFault('unknown', 'planted');
    });
    const homes = database.service({ store, ...quiet });
    const seen = Promise.withResolvers<Commit>();
    homes.follow('c1', (commit) => seen.resolve(commit));
    await expect(homes.handle([adopt('c1')])).rejects.toBeInstanceOf(OutcomeUnknown);
    expect((await seen.promise).home.seq).toBe(2);
    expect((await homes.handle([adopt('c1')]))[0]).toMatchObject({ ok: true, value: { seq: 2 } });
    expect(await database.store.events('c1', 0, 10)).toHaveLength(2);
  });
});

const grant = (playerId: string): HomeOrder => ({
  playerId,
  commandId: `gift-for-${playerId}`,
  command: { type: 'home:grant', items: { snack: 1 }, reason: 'gift' },
});

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

/** Pauses that end when told. */
const heldPauses = () => {
  const pauses: { readonly delayMs: number; readonly end: () => void }[] = [];
  const first = Promise.withResolvers<void>();
  const after = (delayMs: number, end: () => void) => {
    pauses.push({ delayMs, end });
    first.resolve();
    return () => undefined;
  };
  const endAll = () => {
    for (const { end } of pauses.splice(0)) end();
  };
  return { clock: { after, monotonicMs: () => 0 }, first: first.promise, endAll };
};

/** Holds the homes' locks on a connection of its own. */
const lockHomes = async (playerIds: readonly string[]) => {
  const other = await database.pool.connect();
  // On a slow machine the pool's limit would free the locks before the test does.
  await other.query('begin; set local idle_in_transaction_session_timeout = 0');
  await other.query('select from kibble.home where player_id = any($1) for update', [playerIds]);
  return async () => {
    await other.query('commit');
    other.release();
  };
};

describe('when somebody else has locked homes', () => {
  it('fifty others are served meanwhile, though more are locked than batches run; those as soon as they are free', async () => {
    const { clock, first, endAll } = heldPauses();
    const homes = database.service({ clock });
    const [locked, free] = [names('d', 12), names('e', 50)];
    await homes.handle([...locked, ...free].map(adopt));
    const release = await lockHomes(locked);
    const late = homes.handle(locked.map(grant));
    await first;
    const outcomes = await Promise.all(free.map((playerId) => homes.handle([grant(playerId)])));
    expect(outcomes.flat().every(({ ok }) => ok)).toBe(true);
    await release();
    endAll();
    expect((await late).every(({ ok }) => ok)).toBe(true);
  });

  it('the answer is that nothing was done when they stay locked for two seconds and a half', async () => {
    let waitedMs = 0;
    const after = (delayMs: number, end: () => void) => {
      waitedMs += delayMs;
      queueMicrotask(end);
      return () => undefined;
    };
    const homes = database.service({ clock: { after, monotonicMs: () => 0 }, ...quiet });
    await homes.handle([adopt('f1')]);
    const release = await lockHomes(['f1']);
    const [outcome] = await homes.handle([grant('f1')]);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'server/unavailable', retryable: true } });
    expect(waitedMs).toBeGreaterThan(2000);
    expect(waitedMs).toBeLessThan(2500);
    await release();
  });

  it('their orders stay in order, also those that come meanwhile', async () => {
    const { clock, first, endAll } = heldPauses();
    const homes = database.service({ clock });
    await homes.handle([adopt('g1')]);
    const release = await lockHomes(['g1']);
    const earlier = homes.handle([grant('g1')]);
    await first;
    const later = homes.handle([{ ...grant('g1'), commandId: 'the-later-one' }]);
    await release();
    endAll();
    const seqs = [...(await earlier), ...(await later)].map((outcome) => (outcome.ok ? outcome.value.seq : 0));
    expect(seqs).toEqual([3, 4]);
  });

  it('their fires are told at once, and those of all others are done', async () => {
    const { clock } = heldPauses();
    const homes = database.service({ clock });
    const [locked, free] = [names('h', 2), names('i', 50)];
    await homes.handle([...locked, ...free].map(adopt));
    const release = await lockHomes(locked);
    const { unsettled } = await homes.settle([...free, ...locked]);
    expect(unsettled.map(({ owner, isLocked }) => [owner, isLocked])).toEqual(locked.map((owner) => [owner, true]));
    await release();
    expect((await homes.settle(locked)).unsettled).toEqual([]);
  });

  it('a fire does not wait for an order of the same home that waits', async () => {
    const { clock, first, endAll } = heldPauses();
    const homes = database.service({ clock });
    await homes.handle([adopt('j1')]);
    const release = await lockHomes(['j1']);
    const order = homes.handle([grant('j1')]);
    await first;
    expect((await homes.settle(['j1'])).unsettled).toMatchObject([{ owner: 'j1', isLocked: true }]);
    await release();
    endAll();
    expect((await order)[0]).toMatchObject({ ok: true });
  });

  it('somebody who is about to make one holds up nobody else, and it is made once', async () => {
    const { clock, first, endAll } = heldPauses();
    const homes = database.service({ clock });
    const other = await database.pool.connect();
    await other.query('begin');
    const inTx = await homes.handleIn(other, [adopt('k1')]);
    const late = homes.handle([adopt('k1')]);
    await first;
    expect((await homes.handle([adopt('k2')]))[0]).toMatchObject({ ok: true });
    await other.query('commit');
    other.release();
    inTx.afterCommit();
    endAll();
    expect((await late)[0]).toMatchObject({ ok: true, value: { seq: 2 } });
    expect(await database.store.events('k1', 0, 10)).toHaveLength(2);
  });
});

describe('a process that freezes inside a transaction', () => {
  it('is cut off: its homes are served, and its late commit changes nothing', async () => {
    const homes = database.service();
    await homes.handle([adopt('l1')]);
    const [isHeld, thaw] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const inventory: Inventory = {
      load: async () => {
        isHeld.resolve();
        await thaw.promise;
        return new Map();
      },
      apply: async () => undefined,
    };
    const store = new PostgresHomeStore({
      database: new Database({ pool: database.pool, schema: 'kibble' }),
      modules: petsModules(),
      inventory: hostInventory(inventory),
      limits: { ...limits.transaction, idleInTransactionMs: 100 },
    });
    const frozen = store.change({ playerIds: ['l1'], commands: [], waits: true }, ({ homes }) => ({
      changes: [...homes.values()].map((before) => ({
        before,
        after: { ...before, seq: 99 },
        events: [],
        commands: new Map(),
      })),
      value: undefined,
    }));
    await isHeld.promise;
    expect((await homes.handle([grant('l1')]))[0]).toMatchObject({ ok: true, value: { seq: 3 } });
    thaw.resolve();
    await expect(frozen).rejects.toBeInstanceOf(StoreFault);
    expect((await database.store.newestSeqs(['l1'])).get('l1')).toBe(3);
  });
});

describe('when too much waits', () => {
  it('a player is told to come back later, and what was taken in is done', async () => {
    const homes = database.service({
      limits: {
        batchSize: 1,
        parallelBatches: 1,
        parallelFires: 1,
        firesPerBatch: 1,
        waitingPerPlayer: 2,
        waitingTotal: 100,
        pageMax: 500,
        eventsPerHome: 1_000,
        eventsPerBatch: 5_000,
      },
    });
    const orders = Array.from({ length: 5 }, (_, at) => ({ ...adopt('e1'), commandId: `too-many-${at}` }));
    const outcomes = await homes.handle(orders);
    expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(2);
    expect(outcomes.at(-1)).toMatchObject({ ok: false, error: { code: 'rate/limited', retryable: true } });
  });
});
