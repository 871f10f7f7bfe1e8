import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { GameHomes } from '../../../server/home/game-homes.ts';
import type { HomeService } from '../../../server/home/home-service.ts';
import type { Commit } from '../../../server/home/model/commit.ts';
import type { HomeStore } from '../../../server/home/model/home-store.ts';
import { limits } from '../../../server/settings/config.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import type { HomeEvent } from '../../../shared/pets/protocol.ts';
import { fold, petsLog, petsModules, settle } from '../../../testing/pets-engine.ts';
import { AwayClock, awayRules, lookAt, orderOf } from '../../support/game/away-home.ts';
import { storeWith } from '../../support/game/fake-homes.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

const clock = new AwayClock();
let database: HomeDatabase;

beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());

const homesWith = (
  settleLimits: { readonly eventsPerHome?: number; readonly eventsPerBatch?: number } = {},
  store: HomeStore = clock.store(database),
) =>
  database.service({
    store,
    catalogue: awayRules(),
    limits: { ...limits.writePath, pageMax: limits.events.pageMax, ...settleLimits },
  });
const tiny = { eventsPerHome: 10, eventsPerBatch: 25 };

const adopt = (playerId: string) => orderOf(playerId, { type: 'home:adopt', name: 'Late', species: 'cat' });

/** Commits of the player from now on. */
const followed = (homes: HomeService, playerId: string): readonly Commit[] => {
  const commits: Commit[] = [];
  homes.follow(playerId, (commit) => commits.push(commit));
  return commits;
};

const logOf = async (playerId: string, afterSeq: number): Promise<readonly HomeEvent[]> =>
  petsLog(await database.store.events(playerId, afterSeq, 1_000_000));

describe('a home with more to settle than fits into a batch', () => {
  it('is settled in bounded commits, before its command is judged, while another player goes on', async () => {
    const left = await clock.leave(homesWith(), 'anna', { pets: 20, armed: 200 });
    const store = clock.store(database);
    let others = Promise.resolve();
    let done = 0;
    // After each commit of hers another player sends a command, and she goes on when that is done: or never.
    const change: HomeStore['change'] = async (request, decide) => {
      if (!request.playerIds.includes('bob')) await others;
      return store.change(request, decide);
    };
    const homes = homesWith({}, storeWith(store, change));
    const commits = followed(homes, 'anna');
    homes.follow('anna', () => {
      others = homes.handle([adopt('bob')]).then(() => {
        done += 1;
      });
    });
    const [outcome] = await homes.handle([adopt('anna')]);
    await others;
    const log = await logOf('anna', left.seq);
    const settled = settle(left, clock.nowMs);
    expect(settled.filter((event) => event.type === 'feeding-completed')).toHaveLength(20 * 201);
    expect(log.slice(0, settled.length)).toEqual(settled);
    expect(log.slice(settled.length)).toMatchObject([{ type: 'pet-adopted', name: 'Late', at: clock.nowMs }]);
    expect(outcome).toMatchObject({ ok: true, value: { seq: log.at(-1)?.seq, events: [{ type: 'pet-adopted' }] } });
    expect(commits.length).toBeGreaterThanOrEqual(8);
    expect(done).toBe(commits.length);
    expect(commits.flatMap(({ events }) => events)).toEqual(log);
    for (const { events } of commits) expect(events.length).toBeLessThanOrEqual(limits.writePath.eventsPerHome + 2);
    expect(await lookAt(homes, 'anna')).toEqual(fold(left, log));
  });

  it('has no timer left of what it ate', async () => {
    expect(await database.timers.listByOwners(['anna'])).toEqual([]);
  });

  it('holds up no fire for long: it is told that the home is busy, and comes again', async () => {
    const homes = homesWith(tiny);
    const left = await clock.leave(homes, 'cleo', { pets: 3, armed: 40 });
    const expected = settle(left, clock.nowMs);
    let fires = 0;
    for (let isBusy = true; isBusy; fires++) {
      const { unsettled } = await homes.settle(['cleo']);
      isBusy = unsettled.length > 0;
      if (isBusy) expect(unsettled).toMatchObject([{ owner: 'cleo', isLocked: true, error: { kind: 'unsettled' } }]);
    }
    expect(fires).toBe(3);
    expect(await logOf('cleo', left.seq)).toEqual(expected);
  });

  it('lets a home that is settled soon go first, however many are not', async () => {
    const homes = homesWith(tiny);
    const many = ['g1', 'g2', 'g3', 'g4'];
    for (const playerId of many) await clock.leave(homes, playerId, { pets: 2, armed: 60 });
    await clock.leave(homes, 'dora', { pets: 1, armed: 1 });
    const order: string[] = [];
    await Promise.all(
      [...many, 'dora'].map(async (playerId) => {
        await homes.handle([adopt(playerId)]);
        order.push(playerId);
      }),
    );
    expect(order[0]).toBe('dora');
  });

  it('is quoted as it is when all is settled, and merged with all that it has', async () => {
    const homes = homesWith(tiny);
    await clock.leave(homes, 'emil', { pets: 2, armed: 30 });
    const quoted = await homes.quote('emil', { type: 'home:adopt', name: 'Late', species: 'cat' });
    expect(quoted).toMatchObject({ ok: true, value: { nowMs: clock.nowMs, events: [{ type: 'pet-adopted' }] } });
    const guest = await clock.leave(homes, 'fred', { pets: 2, armed: 30 });
    const before = await lookAt(homes, 'emil');
    const commits = followed(homes, 'fred');
    const tx = await database.pool.connect();
    await tx.query('begin');
    const merge = { guestId: 'fred', accountId: 'emil', commandId: 'merge-them', by: 'ada', reason: 'asked for' };
    const { account, afterCommit } = await homes.mergeIn(tx, merge);
    await tx.query('commit');
    tx.release();
    afterCommit();
    expect(petsOf(account.after)).toHaveLength(4);
    expect(account.after.items.crumb).toBe((before.items.crumb ?? 0) + (guest.items.crumb ?? 0) - 2 * 30);
    const log = await logOf('fred', guest.seq);
    expect(log.slice(0, -1)).toEqual(settle(guest, clock.nowMs));
    expect(commits.flatMap(({ events }) => events)).toEqual(log);
  });

  it("is settled all the way in a game's own transaction, before the order of it is judged", async () => {
    const homes = homesWith(tiny);
    const left = await clock.leave(homes, 'gwen', { pets: 2, armed: 30 });
    const commits = followed(homes, 'gwen');
    const tx = await database.pool.connect();
    await tx.query('begin');
    const gift = { playerId: 'gwen', commandId: 'bought-for-gems', items: { crumb: 5 }, reason: 'bought' };
    const {
      outcomes,
      homes: changed,
      afterCommit,
    } = await new GameHomes(homes, petsModules(), () => undefined).grant([gift], {
      tx,
    });
    await tx.query('commit');
    tx.release();
    afterCommit();
    expect(outcomes).toMatchObject([{ ok: true, value: { nowMs: clock.nowMs } }]);
    const crumb = (left.items.crumb ?? 0) - 2 * 30 + 5;
    expect(changed.get('gwen')).toMatchObject({ before: { seq: left.seq }, after: { items: { crumb } } });
    const log = await logOf('gwen', left.seq);
    expect(log.slice(0, -1)).toEqual(settle(left, clock.nowMs));
    expect(commits.flatMap(({ events }) => events)).toEqual(log);
  });

  it('refuses its command when the process stops meanwhile, and nothing of it was done', async () => {
    const homes = homesWith(tiny);
    const left = await clock.leave(homes, 'hugo', { pets: 2, armed: 60 });
    const [outcomes] = await Promise.all([homes.handle([adopt('hugo')]), homes.drain()]);
    expect(outcomes).toMatchObject([{ ok: false, error: { code: 'server/unavailable', retryable: true } }]);
    const log = await logOf('hugo', left.seq);
    expect(log).toEqual(settle(left, clock.nowMs).slice(0, log.length));
    expect(log.length).toBeGreaterThan(0);
  });
});
