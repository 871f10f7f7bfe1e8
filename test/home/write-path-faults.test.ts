import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { HomeStore } from '../../server/home/home-store.ts';
import type { Commit, HomeOrder } from '../../server/home/homes.ts';
import { OutcomeUnknown, StoreFault } from '../../server/home/store-fault.ts';
import { type HomeDatabase, homeDatabase } from '../support/home-database.ts';

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

/** The store, with another way to change homes. */
const storeWith = (change: HomeStore['change']): HomeStore => ({
  change,
  changeIn: database.store.changeIn.bind(database.store),
  events: database.store.events.bind(database.store),
  newestSeqs: database.store.newestSeqs.bind(database.store),
  epoch: database.store.epoch.bind(database.store),
  nowMs: database.store.nowMs.bind(database.store),
});

const quiet = { onFault: () => undefined };

describe('when a transaction fails', () => {
  it('for one bad home, all others of the batch are served', async () => {
    const store = storeWith((request, decide) =>
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

  it('because the store is away, the answer says that nothing was done', async () => {
    const store = storeWith(() => Promise.reject(new StoreFault('down', 'planted')));
    const [outcome] = await database.service({ store, ...quiet }).handle([adopt('b1')]);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'server/unavailable', retryable: true } });
  });
});

describe("when the commit's answer is lost", () => {
  it('the outcome is unknown; the same command finds it; followers see what it brought', async () => {
    let isLost = true;
    const store = storeWith(async (request, decide) => {
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

describe('when somebody else has locked a home', () => {
  it('others are served meanwhile, and its own command as soon as it is free', async () => {
    const homes = database.service();
    await homes.handle([adopt('d1'), adopt('d2')]);
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query("select from kibble.home where player_id = 'd1' for update");
    const grant = (playerId: string): HomeOrder => ({
      playerId,
      commandId: `gift-for-${playerId}`,
      command: { type: 'home:grant', items: { snack: 1 }, reason: 'gift' },
    });
    const locked = homes.handle([grant('d1')]);
    expect((await homes.handle([grant('d2')]))[0]).toMatchObject({ ok: true });
    await other.query('commit');
    other.release();
    expect((await locked)[0]).toMatchObject({ ok: true });
  });
});

describe('when too much waits', () => {
  it('a player is told to come back later, and what was taken in is done', async () => {
    const homes = database.service({
      limits: { batchSize: 1, parallelBatches: 1, waitingPerPlayer: 2, waitingTotal: 100, pageMax: 500 },
    });
    const orders = Array.from({ length: 5 }, (_, at) => ({ ...adopt('e1'), commandId: `too-many-${at}` }));
    const outcomes = await homes.handle(orders);
    expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(2);
    expect(outcomes.at(-1)).toMatchObject({ ok: false, error: { code: 'rate/limited', retryable: true } });
  });
});
