import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import type { EventChannel } from '../../../server/home/follow/home-feed.ts';
import type { Commit } from '../../../server/home/model/commit.ts';
import { OutcomeUnknown, StoreFault } from '../../../server/home/model/faults.ts';
import type { HomeMeasurement } from '../../../server/home/model/home-measurement.ts';
import type { HomeStore } from '../../../server/home/model/home-store.ts';
import type { HomeOrder } from '../../../server/home/model/homes.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

let database: HomeDatabase;
let clock: ManualClock;
let measured: HomeMeasurement[];
let commands = 0;

beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());
beforeEach(() => {
  clock = new ManualClock(1_790_000_000_000);
  measured = [];
});

const gift = (playerId: string): HomeOrder => ({
  playerId,
  commandId: `command-${++commands}`,
  command: { type: 'home:grant', items: { snack: 1 }, reason: 'gift' },
});

/** A process with transactions that take 30 ms by its clock, and end as `change` says. */
const service = (change: HomeStore['change'] = database.store.change.bind(database.store), channel?: EventChannel) => {
  const slowly: HomeStore['change'] = (request, decide) => {
    clock.advance(30);
    return change(request, decide);
  };
  return database.service({
    store: Object.assign(Object.create(database.store), {
      change: slowly,
      changeIn: database.store.changeIn.bind(database.store),
      whole: database.store.whole.bind(database.store),
      epoch: database.store.epoch.bind(database.store),
    }) as HomeStore,
    measure: { clock, observe: (measurement) => void measured.push(measurement), slow: () => undefined },
    onFault: () => undefined,
    ...(channel ? { channel } : {}),
  });
};

it('tells of commands that share a batch, and of the batch once', async () => {
  await service().handle([gift('ann'), gift('bea'), gift('ann')]);

  expect(measured.filter(({ type }) => type === 'batch')).toEqual([
    { type: 'batch', homes: 2, isCommitted: true, tookMs: 30 },
  ]);
  const answer = { type: 'answered', command: 'home:grant', code: 'ok', tookMs: 30 };
  expect(measured.filter(({ type }) => type === 'answered')).toEqual([answer, answer, answer]);
});

it('tells the code of what was refused, and of what nobody knows', async () => {
  await service().handle([{ ...gift('cleo'), command: { type: 'home:release', petId: 'none' } }]);
  const lost = service(() => Promise.reject(new StoreFault('unknown', 'planted')));
  await expect(lost.handle([gift('cleo')])).rejects.toBeInstanceOf(OutcomeUnknown);

  expect(measured).toMatchObject([
    { type: 'batch', isCommitted: true },
    { type: 'answered', command: 'home:release', code: 'pet/unknown' },
    { type: 'batch', isCommitted: false },
    { type: 'answered', command: 'home:grant', code: 'unknown' },
  ]);
});

it('tells of commands in a transaction of the game', async () => {
  const homes = service();
  const client = await database.pool.connect();
  await client.query('begin');
  await homes.handleIn(client, [gift('dora')]);
  await client.query('rollback');
  client.release();

  expect(measured).toEqual([{ type: 'answered', command: 'home:grant', code: 'ok', tookMs: 0 }]);
});

it('tells how long a commit took to those who follow, also from another process, never less than nothing', async () => {
  const heard = new Set<(commit: Commit) => void>();
  const channel: EventChannel = {
    publish: () => undefined,
    subscribe: (_, listener) => {
      heard.add(listener);
      return () => undefined;
    },
  };
  const homes = service(undefined, channel);
  const seen: Commit[] = [];
  homes.follow('emma', (commit) => {
    seen.push(commit);
    clock.advance(2);
  });
  await homes.handle([gift('emma')]);
  const [commit] = seen;
  if (!commit) throw new Error('the follower heard nothing');
  // A machine with a clock ten seconds ahead of this one.
  for (const tell of heard) tell({ ...commit, committedAtMs: clock.nowMs() + 10_000 });

  expect(measured.filter(({ type }) => type === 'pushed')).toEqual([
    { type: 'pushed', tookMs: 2 },
    { type: 'pushed', tookMs: 0 },
  ]);
});

it('says how many homes are followed, by how many', () => {
  const homes = service();
  const unfollow = homes.follow('fay', () => undefined);
  homes.follow('fay', () => undefined);
  homes.follow('gwen', () => undefined);
  expect(homes.followed).toEqual({ homes: 2, followers: 3 });
  unfollow();
  expect(homes.followed).toEqual({ homes: 2, followers: 2 });
});
