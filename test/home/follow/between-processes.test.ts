import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { EventChannel } from '../../../server/home/follow/home-feed.ts';
import { HomeFeed, touchedPart, wholeCommit } from '../../../server/home/follow/home-feed.ts';
import type { HomeService } from '../../../server/home/home-service.ts';
import { type Commit, commitOf } from '../../../server/home/model/commit.ts';
import { type Home, newHome, type Thing } from '../../../shared/home.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

let database: HomeDatabase;
let players = 0;
let player: string;
let commands = 0;

beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());
beforeEach(() => {
  player = `player-${++players}`;
});

/** Two processes: what one publishes waits here until it is brought. */
const twoProcesses = () => {
  const sent: string[] = [];
  const listeners = new Set<(commit: Commit) => void>();
  const here: EventChannel = {
    publish: () => undefined,
    subscribe: (_player, listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const there: EventChannel = {
    publish: (commit) => sent.push(JSON.stringify(commit)),
    subscribe: () => () => undefined,
  };
  return {
    here: database.service({ channel: here }),
    there: database.service({ channel: there }),
    sent,
    bring: (message: string | undefined): void => {
      for (const listener of listeners) listener(JSON.parse(message ?? ''));
    },
  };
};

const order = async (homes: HomeService, command: { readonly type: string; readonly [field: string]: unknown }) => {
  const [outcome] = await homes.handle([{ playerId: player, commandId: `command-${++commands}`, command }]);
  if (!outcome?.ok) throw new Error(`refused: ${JSON.stringify(outcome)}`);
  return outcome.value;
};
const adopt = (homes: HomeService, name: string) => order(homes, { type: 'home:adopt', name, species: 'dog' });
const feed = (homes: HomeService, petId: unknown) => order(homes, { type: 'home:feed', petId, food: 'dog-food' });

/** Ends when this process was told of a home with so many events. */
const follow = (homes: HomeService) => {
  const told: Commit[] = [];
  const waiting = new Set<() => void>();
  homes.follow(player, (commit) => {
    told.push(commit);
    for (const look of waiting) look();
  });
  const reached = (seq: number) =>
    new Promise<Home>((resolve) => {
      const look = (): void => {
        const home = told.at(-1)?.home;
        if (home && home.seq >= seq) resolve(home);
      };
      waiting.add(look);
      look();
    });
  return { told, reached };
};

describe('a home that another process changes', () => {
  it('comes whole to whoever follows it, though only the touched things travel', async () => {
    const { here, there, sent, bring } = twoProcesses();
    for (const name of ['Rex', 'Tom', 'Ada', 'Bob']) await adopt(there, name);
    const { told } = follow(here);
    const [before] = await here.look([player]);
    const [rex] = petsOf(before?.home ?? newHome(player));
    await feed(there, rex?.petId);
    bring(sent.at(-1));
    expect(Object.keys(JSON.parse(sent.at(-1) ?? '').home.things.pets)).toEqual([rex?.petId]);
    const [after] = await there.look([player]);
    expect(told.at(-1)?.home).toEqual(after?.home);
    expect(petsOf(told.at(-1)?.home ?? newHome(''))).toHaveLength(4);
  });

  it('is whole again after a lost message, and the events of the next one are told', async () => {
    const { here, there, sent, bring } = twoProcesses();
    const { petId } = await adopt(there, 'Rex');
    const { told, reached } = follow(here);
    await here.look([player]);
    await adopt(there, 'Tom');
    const { seq, events } = await feed(there, petId);
    bring(sent.at(-1));
    expect(petsOf(await reached(seq)).map(({ name }) => name)).toEqual(['Rex', 'Tom']);
    expect(told.flatMap((commit) => commit.events)).toEqual(events);
  });

  it('is told of from the first event on, though nobody looked at it here before', async () => {
    const { here, there, sent, bring } = twoProcesses();
    const { petId } = await adopt(there, 'Rex');
    const { told, reached } = follow(here);
    const { seq, events } = await feed(there, petId);
    bring(sent.at(-1));
    expect(petsOf(await reached(seq))[0]?.feeding).toBeDefined();
    expect(told[0]?.events).toEqual(events);
  });

  it('is never shown older for a message that came late, or twice', async () => {
    const { here, there, sent, bring } = twoProcesses();
    const { petId } = await adopt(there, 'Rex');
    const { told, reached } = follow(here);
    await here.look([player]);
    await feed(there, petId);
    await adopt(there, 'Tom');
    const { seq } = await adopt(there, 'Ada');
    const [fed, tom, ada] = sent.slice(-3);
    for (const message of [ada, fed, tom, fed]) bring(message);
    expect(petsOf(await reached(seq))).toHaveLength(3);
    const seqs = told.map(({ home }) => home.seq);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    // The late ones made it look again, which is not to outlive the database.
    await here.look([player]);
  });
});

describe('a commit on its way', () => {
  const things = (own: Readonly<Record<string, Thing>>) => ({ plots: Object.assign(Object.create(null), own) });
  const home = (seq: number, all: Home['things']): Home => ({ ...newHome('ann'), seq, things: all });

  it.each([
    ['a thing that came', { one: { size: 1 } }, { two: { size: 1 } }],
    ['a thing that went', { one: { size: 1 }, two: { size: 2 } }, { two: undefined }],
    ['the last thing that went', { one: { size: 1 } }, { one: undefined }],
    ['ids that every object has', { constructor: { size: 1 } }, { ['__proto__']: { size: 2 }, constructor: undefined }],
  ])('brings %s', (_what, earlier, change) => {
    const own: Record<string, Thing> = Object.assign(Object.create(null), earlier);
    for (const [id, thing] of Object.entries(change)) {
      if (thing) own[id] = thing;
      else delete own[id];
    }
    const before = home(3, things(earlier));
    const after = home(4, Object.keys(own).length > 0 ? { plots: own } : {});
    const commit = commitOf(before, after, { events: [], nowMs: 0, answers: [] });
    const part: Commit = JSON.parse(JSON.stringify(touchedPart(commit)));
    expect(wholeCommit(part, before)?.home).toEqual(after);
    expect(wholeCommit(part, home(2, {}))).toBeUndefined();
  });

  it('of a home that stands still says so to the followers elsewhere, though it has no event', () => {
    const feedOn = (channel: EventChannel) =>
      new HomeFeed({
        channel,
        onGap: () => expect.unreachable(),
        onFault: (error) => {
          throw error;
        },
      });
    let bring: (commit: Commit) => void = () => undefined;
    const subscribe: EventChannel['subscribe'] = (_player, listener) => {
      bring = listener;
      return () => undefined;
    };
    const gateway = feedOn({ publish: () => undefined, subscribe });
    const worker = feedOn({ publish: (commit) => bring(JSON.parse(JSON.stringify(commit))), subscribe });
    const told: Commit[] = [];
    gateway.follow('ann', (commit) => told.push(commit));
    const still = home(3, things({ one: { size: 1 } }));
    const nothing = { events: [], nowMs: 0, answers: [] };
    gateway.publish(commitOf(still, still, nothing));
    const fault = { module: 'plots', thing: 'one' };
    worker.publish(commitOf(still, still, { ...nothing, fault }));
    expect(told.at(-1)).toMatchObject({ home: still, fault });
    // It went on, and the same fault comes late.
    const later = home(4, things({ one: { size: 2 } }));
    gateway.publish(commitOf(still, later, nothing));
    worker.publish(commitOf(still, still, { ...nothing, fault }));
    expect(told.at(-1)?.home).toEqual(later);
    expect(told.at(-1)).not.toHaveProperty('fault');
  });

  it('that comes after the erasure of its home causes one look, and is not told in the new life', () => {
    let looks = 0;
    let bring: (commit: Commit) => void = () => undefined;
    const subscribe: EventChannel['subscribe'] = (_player, listener) => {
      bring = listener;
      return () => undefined;
    };
    const feed = new HomeFeed({
      onFault: (error) => {
        throw error;
      },
      channel: { publish: () => undefined, subscribe },
      onGap: () => {
        looks += 1;
      },
    });
    const told: Commit[] = [];
    feed.follow('ann', (commit) => told.push(commit));
    const at = (before: number, after: number, type?: string): Commit =>
      commitOf(home(before, {}), home(after, {}), {
        events: type ? [{ v: 1, seq: after, at: 0, type }] : [],
        nowMs: 0,
        answers: [],
      });
    feed.publish(at(11, 11));
    bring({ ...at(0, 0), isErased: true });
    bring(at(11, 12, 'of-the-old-life'));
    expect(looks).toBe(1);
    // What the look found.
    feed.publish(at(0, 0));
    expect(looks).toBe(1);
    feed.publish(at(11, 12, 'of-the-new-life'));
    expect(told.flatMap(({ events }) => events).map(({ type }) => type)).toEqual(['of-the-new-life']);
  });
});
