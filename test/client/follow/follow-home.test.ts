import { beforeEach, describe, expect, it } from 'vitest';
import {
  CommandRefused,
  type Connection,
  type Cursor,
  FollowEnded,
  type FollowOptions,
  followHome,
  type HomeFollower,
} from '../../../client/follow/follow-home.ts';
import { eventOf, FakeSdk, rejected } from '../support/fake-sdk.ts';
import { ManualPlatform, settled } from '../support/manual-platform.ts';

let platform: ManualPlatform;
let sdk: FakeSdk;
let seqs: number[];
let missed: number[];
let phases: Connection['phase'][];
let newLogs: Cursor[];

beforeEach(() => {
  platform = new ManualPlatform();
  sdk = new FakeSdk(platform);
  seqs = [];
  missed = [];
  phases = [];
  newLogs = [];
});

const follow = async (options: Partial<FollowOptions> = {}): Promise<HomeFollower> => {
  const follower = followHome({
    client: sdk,
    platform,
    onEvents: (events, isMissed) => {
      seqs.push(...events.map((event) => event.seq));
      if (isMissed) missed.push(...events.map((event) => event.seq));
    },
    onConnection: ({ phase }) => phases.push(phase),
    onNewLog: (start) => newLogs.push(start),
    ...options,
  });
  await settled();
  return follower;
};

/** In, with the state of this `seq`. */
const online = async (seq = 5, options: Partial<FollowOptions> = {}): Promise<HomeFollower> => {
  const follower = await follow(options);
  sdk.room.show({ seq });
  await platform.pass(1);
  return follower;
};

/** Lost, and in again. */
const comeBack = async (seq: number): Promise<void> => {
  await joined(sdk.rooms.length + 1);
  sdk.room.show({ seq });
  await platform.pass(1);
};

const joined = async (rooms: number): Promise<void> => {
  while (sdk.rooms.length < rooms) await platform.pass(50);
};

/** Sign-ins that are answered by hand with a guest's token, and the tokens that were kept. */
const slowSignIns = () => {
  const answers: ((token: string) => void)[] = [];
  const failures: ((error: Error) => void)[] = [];
  const kept: string[] = [];
  sdk.auth.signInAnonymously = async () => {
    sdk.auth.token = await new Promise<string>((resolve, reject) => {
      answers.push(resolve);
      failures.push(reject);
    });
  };
  return { answers, failures, kept, tokens: { load: () => undefined, save: (token: string) => void kept.push(token) } };
};

const reply = (...events: number[]) => ({ seq: events.at(-1) ?? 0, nowMs: 0, events: events.map(eventOf) });

describe('signing in', () => {
  it('makes a guest once and keeps the token, also the renewed one', async () => {
    const kept: string[] = [];
    const tokens = { load: () => undefined, save: (token: string) => void kept.push(token) };
    await online(5, { tokens });
    sdk.room.push('home:token', { token: 'renewed' });
    expect(kept).toEqual(['guest-1', 'renewed']);
    expect(sdk.auth.token).toBe('renewed');
    sdk.room.break(1006);
    await comeBack(5);
    expect(sdk.signIns).toBe(1);
  });

  it('comes as who the kept token says', async () => {
    await online(5, { tokens: { load: () => 'kept', save: () => undefined } });
    expect(sdk.auth.token).toBe('kept');
    expect(sdk.signIns).toBe(0);
  });

  it('keeps a refused token until it is told to begin anew: the fault may be the server’s', async () => {
    sdk.auth.token = 'old';
    sdk.faults.push(new Error('auth/refused'));
    const follower = await follow();
    await platform.pass(60_000);
    expect(follower.connection).toEqual({ phase: 'refused', code: 'auth/refused' });
    expect(sdk.auth.token).toBe('old');
    follower.signInAnew();
    await settled();
    sdk.room.show({ seq: 0 });
    expect(follower.connection.phase).toBe('online');
    expect(sdk.auth.token).toBe('guest-1');
  });
});

describe('coming back', () => {
  it.each([1000, 1001, 1005, 1006, 4000, 4001, 4002, 4003, 4010])(
    'joins anew behind the last event after code %i',
    async (code) => {
      await online(5);
      sdk.room.tell([6, 7]);
      sdk.room.break(code);
      await comeBack(9);
      expect(sdk.joins).toEqual([{ things: true }, { things: true, afterSeq: 7, epoch: 'one' }]);
      sdk.room.tell([8, 9]);
      sdk.room.tell([10]);
      expect(seqs).toEqual([6, 7, 8, 9, 10]);
      expect(missed).toEqual([8, 9]);
      expect(phases).toEqual(['online', 'waiting', 'connecting', 'online']);
    },
  );

  it('switches the SDK’s own reconnection off', async () => {
    await online();
    expect(sdk.room.reconnection.enabled).toBe(false);
  });

  it('waits longer from failure to failure, by chance, and never more than 15 s', async () => {
    const shares: number[] = [];
    for (const seed of [1, 2, 3]) {
      platform = new ManualPlatform(seed);
      sdk = new FakeSdk(platform);
      const waits: number[] = [];
      const note = (connection: Connection): void => {
        if (connection.phase === 'waiting') waits.push(connection.retryAtMs - platform.nowMs());
      };
      sdk.faults.push(...Array.from({ length: 9 }, () => new Error('ECONNREFUSED')));
      await follow({ onConnection: note });
      await joined(1);
      expect(waits).toHaveLength(9);
      waits.forEach((waitMs, failures) => {
        const wholeMs = Math.min(15_000, 400 * 2 ** failures);
        expect(waitMs).toBeGreaterThanOrEqual(wholeMs / 2);
        expect(waitMs).toBeLessThanOrEqual(wholeMs);
        shares.push(waitMs / wholeMs);
      });
      expect(sdk.rooms).toHaveLength(1);
    }
    // Clients that lost one server do not come back at one time, nor does one always wait the same part.
    expect(Math.max(...shares) - Math.min(...shares)).toBeGreaterThan(0.3);
    expect(new Set([0, 9, 18].map((first) => shares[first])).size).toBe(3);
  });

  it('says why the server refused a join, and nothing of what only the network knows', async () => {
    const told: Connection[] = [];
    sdk.faults.push(new Error('ECONNREFUSED'), new Error('inventory/refused'));
    await follow({ onConnection: (connection) => told.push(connection) });
    await joined(1);
    const waits = told.filter(({ phase }) => phase === 'waiting');
    expect(waits.map((wait) => 'code' in wait && wait.code)).toEqual([false, 'inventory/refused']);
  });

  it('does not wait when it is told that the network is back', async () => {
    sdk.faults.push(new Error('offline'));
    const follower = await follow();
    expect(follower.connection.phase).toBe('waiting');
    follower.resync();
    await settled();
    expect(sdk.rooms).toHaveLength(1);
  });

  it('is back soon when the network was back during an attempt that still failed', async () => {
    sdk.faults.push(...Array.from({ length: 6 }, () => new Error('offline')));
    const waits: number[] = [];
    const follower = await follow({
      onConnection: (connection) => {
        if (connection.phase === 'waiting') waits.push(connection.retryAtMs - platform.nowMs());
        if (connection.phase === 'connecting' && waits.length === 5) follower.resync();
      },
    });
    await joined(1);
    expect(waits).toHaveLength(6);
    expect(waits[4]).toBeGreaterThanOrEqual(3_200);
    expect(waits[5]).toBeLessThanOrEqual(400);
  });

  it('gives up a join that hangs, and leaves the room if it comes late after all', async () => {
    const door = Promise.withResolvers<void>();
    const join: FollowOptions['join'] = async (since) => {
      const isFirst = phases.length === 0;
      if (isFirst) await door.promise;
      return sdk.joinOrCreate('home', since);
    };
    await follow({ join });
    await platform.pass(20_000);
    expect(phases).toEqual(['waiting', 'connecting']);
    const [second] = sdk.rooms;
    second?.show({ seq: 5 });
    door.resolve();
    await settled();
    expect(sdk.rooms.map(({ isLeft }) => isLeft)).toEqual([false, true]);
    expect(phases.at(-1)).toBe('online');
  });

  it('gives up a room that shows no home, and leaves it', async () => {
    await follow();
    const silent = sdk.room;
    await platform.pass(20_000);
    expect(sdk.rooms).toHaveLength(2);
    expect(silent.isLeft).toBe(true);
  });

  it('waits for a slow sign-in in all attempts, so that it makes one guest', async () => {
    const { answers, kept, tokens } = slowSignIns();
    const follower = await follow({ tokens });
    await platform.pass(40_000);
    expect([answers.length, follower.connection.phase]).toEqual([1, 'connecting']);
    answers[0]?.('guest');
    await settled();
    sdk.room.show({ seq: 5 });
    expect([follower.connection.phase, sdk.auth.token, kept]).toEqual(['online', 'guest', ['guest']]);
  });

  it('comes as the guest of a sign-in that was answered between two attempts', async () => {
    const { answers, kept, tokens } = slowSignIns();
    const follower = await follow({ tokens });
    await platform.pass(15_000);
    expect(follower.connection.phase).toBe('waiting');
    answers[0]?.('guest');
    await joined(1);
    expect([answers.length, sdk.auth.token, kept]).toEqual([1, 'guest', ['guest']]);
  });

  it.each([
    ['before its join ends', []],
    ['after its join', ['renewed']],
  ])('stays the guest of a second sign-in when the first is answered %s', async (_, renewed) => {
    const { answers, kept, tokens } = slowSignIns();
    const door = Promise.withResolvers<void>();
    const join: FollowOptions['join'] = (since) => door.promise.then(() => sdk.joinOrCreate('home', since));
    await follow({ tokens, join });
    while (answers.length < 2) await platform.pass(50);
    answers[1]?.('guest');
    if (renewed.length > 0) door.resolve();
    await settled();
    for (const token of renewed) sdk.room.push('home:token', { token });
    answers[0]?.('stranger');
    await settled();
    door.resolve();
    await settled();
    sdk.room.show({ seq: 5 });
    sdk.room.break(1006);
    await comeBack(5);
    expect(platform.nowMs()).toBeGreaterThan(60_000);
    expect([answers.length, kept, sdk.auth.token]).toEqual([2, ['guest', ...renewed], kept.at(-1)]);
  });

  it('stays the guest who plays when a closed follower of the same client is signed in late', async () => {
    const { answers, kept, tokens } = slowSignIns();
    const first = await follow({ tokens });
    first.close();
    await follow({ tokens });
    answers[1]?.('guest');
    await settled();
    sdk.room.show({ seq: 5 });
    answers[0]?.('stranger');
    await settled();
    expect([kept, sdk.auth.token]).toEqual([['guest'], 'guest']);
  });

  it('signs in a second time only, though the first sign-in then fails', async () => {
    const { answers, failures, tokens } = slowSignIns();
    await follow({ tokens });
    while (answers.length < 2) await platform.pass(50);
    failures[0]?.(new Error('offline'));
    await platform.pass(40_000);
    expect(answers).toHaveLength(2);
  });

  it('takes a connection for dead when nobody answers the heartbeat', async () => {
    await online();
    sdk.answer = () => undefined;
    await platform.pass(30_000 + 8_000);
    expect(phases.at(-1)).toBe('waiting');
    expect(sdk.room.isLeft).toBe(true);
  });

  it('lets a server live that answers with a fault', async () => {
    await online();
    sdk.answer = () => Object.assign(new Error('no Postgres'), { code: 'outcome/unknown' });
    await platform.pass(120_000);
    expect(phases).toEqual(['online']);
  });
});

describe('events', () => {
  it('begin with what comes after the first state', async () => {
    await online(5);
    sdk.room.tell([4, 5, 6]);
    expect(seqs).toEqual([6]);
  });

  it('begin behind the place that was kept', async () => {
    await online(5, { since: { epoch: 'one', seq: 3 } });
    expect(sdk.joins).toEqual([{ things: true, afterSeq: 3, epoch: 'one' }]);
    sdk.room.tell([4, 5]);
    sdk.room.tell([6]);
    expect(seqs).toEqual([4, 5, 6]);
    expect(missed).toEqual([4, 5]);
  });

  it('come once, whatever brings them', async () => {
    const follower = await online(5);
    sdk.answer = ({ type }) => (type === 'home:feed' ? reply(6, 7) : sdk.time());
    const fed = follower.feed('ann~p1', 'dog-food');
    sdk.room.tell([6, 7]);
    await platform.pass(1);
    await fed;
    sdk.room.tell([7, 8]);
    expect(seqs).toEqual([6, 7, 8]);
  });

  it('wait for what is missing before them, which is asked for', async () => {
    await online(5);
    sdk.answer = ({ type }) =>
      type === 'home:sync' ? { seq: 8, nowMs: 0, events: [6, 7, 8].map(eventOf) } : sdk.time();
    sdk.room.tell([8]);
    expect(seqs).toEqual([]);
    await platform.pass(100);
    expect(sdk.room.of('home:sync')).toEqual([
      { type: 'home:sync', payload: { afterSeq: 5, epoch: 'one', limit: 500 } },
    ]);
    expect(seqs).toEqual([6, 7, 8]);
  });

  it('are not asked for when the reply that has them comes a moment later', async () => {
    const follower = await online(5);
    sdk.answer = ({ type }) => (type === 'home:feed' ? reply(6) : sdk.time());
    const fed = follower.feed('ann~p1', 'dog-food');
    sdk.room.tell([7]);
    await platform.pass(100);
    await fed;
    expect(sdk.room.of('home:sync')).toEqual([]);
    expect(seqs).toEqual([6, 7]);
  });

  it('are read page by page when the push says that there are more', async () => {
    await online(5, { since: { epoch: 'one', seq: 0 } });
    sdk.answer = ({ type, payload }) => {
      if (type !== 'home:sync') return sdk.time();
      const first = Number(payload.afterSeq) + 1;
      return { seq: 5, nowMs: 0, events: [first, first + 1].map(eventOf), ...(first < 4 ? { truncated: true } : {}) };
    };
    sdk.room.tell([1], { truncated: true });
    await platform.pass(1);
    expect(sdk.room.of('home:sync').map(({ payload }) => payload.afterSeq)).toEqual([1, 3]);
    expect(seqs).toEqual([1, 2, 3, 4, 5]);
  });

  it('skip what the log no longer has', async () => {
    await online(90, { since: { epoch: 'one', seq: 3 } });
    sdk.answer = ({ type }) =>
      type === 'home:sync' ? { seq: 90, nowMs: 0, events: [89, 90].map(eventOf) } : sdk.time();
    sdk.room.tell([89, 90]);
    await platform.pass(100);
    sdk.room.tell([91]);
    expect(seqs).toEqual([89, 90, 91]);
  });

  it('that never came though the state has them are asked for', async () => {
    await online(5);
    sdk.answer = ({ type }) => (type === 'home:sync' ? { seq: 6, nowMs: 0, events: [eventOf(6)] } : sdk.time());
    sdk.room.show({ seq: 6 });
    await platform.pass(3_000);
    expect(seqs).toEqual([6]);
  });

  it('of a page that did not come are asked for again', async () => {
    await online(5);
    let asked = 0;
    sdk.answer = ({ type }) => {
      if (type !== 'home:sync') return sdk.time();
      asked += 1;
      return asked === 1 ? rejected('rate/limited', {}, true) : { seq: 7, nowMs: 0, events: [6, 7].map(eventOf) };
    };
    sdk.room.tell([7]);
    await platform.pass(5_000);
    expect(seqs).toEqual([6, 7]);
  });
});

describe('another log', () => {
  it('begins anew when the server says that it does not know the place', async () => {
    await online(5, { since: { epoch: 'old', seq: 70 } });
    sdk.room.push('home:rejected', { code: 'sync/ahead', params: { epoch: 'one', seq: 5 }, retryable: false });
    expect(newLogs).toEqual([{ epoch: 'one', seq: 5 }]);
    sdk.room.tell([6]);
    expect(seqs).toEqual([6]);
  });

  it('begins anew once after an erasure, as the next home names it', async () => {
    const follower = await online(5);
    sdk.room.push('home:rejected', { code: 'sync/ahead', params: { seq: 0 }, retryable: false });
    expect(follower.cursor).toEqual({ epoch: 'one', seq: 5 });
    sdk.room.show({ seq: 0, epoch: 'two' });
    expect(newLogs).toEqual([{ epoch: 'two', seq: 0 }]);
    sdk.room.tell([1]);
    expect(follower.cursor).toEqual({ epoch: 'two', seq: 1 });
  });

  it('takes nothing of a log that began while it was connected for missed', async () => {
    await online(5);
    sdk.room.show({ seq: 0, epoch: 'two' });
    sdk.room.tell([1]);
    expect([seqs, missed]).toEqual([[1], []]);
  });

  it('begins anew when the database was put back to before what was read', async () => {
    const follower = await online(5);
    sdk.room.tell([6, 7]);
    sdk.room.break(1006);
    await comeBack(4);
    expect(newLogs).toEqual([{ epoch: 'one', seq: 4 }]);
    expect(follower.cursor).toEqual({ epoch: 'one', seq: 4 });
    sdk.room.tell([5]);
    expect(seqs).toEqual([6, 7, 5]);
  });

  it('begins anew when it is another player’s', async () => {
    await online(5);
    sdk.room.break(1006);
    await joined(2);
    sdk.room.show({ seq: 9, playerId: 'bob' });
    expect(newLogs).toEqual([{ epoch: 'one', seq: 9 }]);
  });
});

describe('commands', () => {
  it('are sent again under the same id when the connection broke before the answer', async () => {
    const follower = await online(5);
    sdk.answer = ({ type }) => (type === 'home:time' ? sdk.time() : undefined);
    const fed = follower.feed('ann~p1', 'dog-food');
    const released = follower.release('ann~p2');
    await platform.pass(1);
    const first = sdk.room;
    first.break(1006);
    sdk.answer = ({ type }) => (type === 'home:time' ? sdk.time() : type === 'home:sync' ? undefined : reply(6));
    await comeBack(5);
    await Promise.all([fed, released]);
    const sent = (room: typeof first) =>
      room.requests.filter(({ type }) => type !== 'home:time' && type !== 'home:sync');
    expect(sent(first).map(({ type }) => type)).toEqual(['home:feed', 'home:release']);
    expect(sent(sdk.room)).toEqual(sent(first));
    expect(follower.waiting).toBe(0);
  });

  it('wait for a connection when there is none', async () => {
    const follower = await follow();
    const fed = follower.feed('ann~p1', 'dog-food');
    sdk.answer = ({ type }) => (type === 'home:time' ? sdk.time() : reply(6));
    sdk.room.show({ seq: 5 });
    await platform.pass(1);
    expect((await fed).seq).toBe(6);
  });

  it('are sent again under the same id when nobody knows the outcome, until somebody does', async () => {
    const follower = await online(5);
    const ids: unknown[] = [];
    sdk.answer = ({ type, payload }) => {
      if (type === 'home:time') return sdk.time();
      ids.push(payload.commandId);
      if (ids.length < 9) return Object.assign(new Error('unknown'), { code: 'outcome/unknown' });
      return reply(6);
    };
    const fed = follower.feed('ann~p1', 'dog-food');
    await platform.pass(120_000);
    await fed;
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(9);
  });

  it('that got no answer on a connection that lives are sent again on it', async () => {
    const follower = await online(5);
    let isDeaf = true;
    sdk.answer = ({ type }) => (type === 'home:time' ? sdk.time() : isDeaf ? undefined : reply(6));
    const fed = follower.feed('ann~p1', 'dog-food');
    await platform.pass(8_000);
    isDeaf = false;
    await platform.pass(1_000);
    await fed;
    expect(phases).toEqual(['online']);
    expect(sdk.room.of('home:feed')).toHaveLength(2);
  });

  it('wait for the next server when theirs says that it stops; what was on its way is answered there', async () => {
    const follower = await online(5);
    const sent: string[] = [];
    sdk.wayMs = () => 100;
    sdk.answer = ({ type }, room) => {
      if (type === 'home:time') return sdk.time();
      sent.push(`${type} ${sdk.rooms.indexOf(room)}`);
      return reply(6);
    };
    const fed = follower.feed('ann~p1', 'dog-food');
    sdk.room.push('home:drain', {});
    const released = follower.release('ann~p1');
    await platform.pass(1_000);
    await fed;
    expect(sent).toEqual(['home:feed 0']);
    sdk.room.break(4001);
    await comeBack(6);
    await platform.pass(1_000);
    await released;
    expect(sent).toEqual(['home:feed 0', 'home:release 1']);
  });

  it('are refused with the code of the rules, and not sent again', async () => {
    const follower = await online(5);
    sdk.answer = ({ type }) => (type === 'home:time' ? sdk.time() : rejected('pet/eating', { petId: 'ann~p1' }));
    const fed = follower.feed('ann~p1', 'dog-food').catch((error: unknown) => error);
    await platform.pass(60_000);
    const error = await fed;
    expect(error).toBeInstanceOf(CommandRefused);
    expect(error).toMatchObject({ rejection: { code: 'pet/eating', params: { petId: 'ann~p1' } } });
    expect(sdk.room.of('home:feed')).toHaveLength(1);
  });

  it('that are refused for now are tried again, not before the server said, and not for ever', async () => {
    const follower = await online(5);
    const atMs: number[] = [];
    sdk.answer = ({ type }) => {
      if (type === 'home:time') return sdk.time();
      atMs.push(platform.nowMs());
      return rejected('rate/limited', { retryAfterMs: 900 }, true);
    };
    const fed = follower.feed('ann~p1', 'dog-food').catch((error: unknown) => error);
    await platform.pass(120_000);
    expect(await fed).toMatchObject({ rejection: { code: 'rate/limited' } });
    expect(atMs).toHaveLength(6);
    const gapsMs = atMs.slice(1).map((ms, at) => ms - (atMs[at] ?? 0));
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(900);
  });

  it('are never said to be refused for now after an attempt that may have been done', async () => {
    const follower = await online(5);
    const ids: unknown[] = [];
    sdk.answer = ({ type, payload }) => {
      if (type === 'home:time') return sdk.time();
      ids.push(payload.commandId);
      if (ids.length === 1) return Object.assign(new Error('unknown'), { code: 'outcome/unknown' });
      return ids.length <= 11 ? rejected('server/unavailable', {}, true) : reply(6);
    };
    const fed = follower.feed('ann~p1', 'dog-food');
    await platform.pass(200_000);
    expect((await fed).seq).toBe(6);
    expect(ids).toHaveLength(12);
    expect(new Set(ids).size).toBe(1);
  });

  it('tell of their events before they are answered', async () => {
    const follower = await online(5);
    sdk.answer = ({ type }) => (type === 'home:time' ? sdk.time() : reply(6));
    const told = follower.feed('ann~p1', 'dog-food').then(() => [...seqs]);
    await platform.pass(1);
    expect(await told).toEqual([6]);
  });

  it('end with the follower, their outcome unknown', async () => {
    const follower = await online(5);
    const fed = follower.feed('ann~p1', 'dog-food').catch((error: unknown) => error);
    follower.close();
    expect(await fed).toBeInstanceOf(FollowEnded);
    expect(await follower.release('ann~p1').catch((error: unknown) => error)).toBeInstanceOf(FollowEnded);
    await platform.pass(60_000);
    expect(sdk.rooms).toHaveLength(1);
    expect(sdk.room.isLeft).toBe(true);
  });

  it('can be asked about, which does nothing', async () => {
    const follower = await online(5);
    sdk.answer = ({ type }) => (type === 'home:quote' ? reply() : sdk.time());
    const quote = follower.quote('home:feed', { petId: 'ann~p1', food: 'dog-food' });
    await platform.pass(1);
    expect(await quote).toEqual(reply());
    sdk.answer = () => rejected('pet/eating');
    const refused = follower.quote('home:feed', { petId: 'ann~p1', food: 'dog-food' }).catch((error: unknown) => error);
    await platform.pass(1);
    expect(await refused).toBeInstanceOf(CommandRefused);
  });
});

describe('the countdown', () => {
  it('is off by less than 150 ms at p95 with 200 ms of jitter, over reconnects, whatever the machine’s own clock says', async () => {
    const errors: number[] = [];
    for (let seed = 1; seed <= 40; seed += 1) {
      platform = new ManualPlatform(seed);
      sdk = new FakeSdk(platform);
      // Three days between the server's clock and this machine's, of which nothing is read.
      sdk.serverOffsetMs += 3 * 86_400_000;
      sdk.wayMs = () => 10 + Math.floor(platform.random() * 200);
      const follower = await online(5);
      for (let sample = 0; sample < 5; sample += 1) {
        await platform.pass(17_000);
        errors.push(Math.abs((follower.nowMs() ?? 0) - sdk.nowMs()));
        if (sample === 2) {
          sdk.room.break(1006);
          await comeBack(5);
        }
      }
      follower.close();
    }
    const p95 = errors.sort((a, b) => a - b)[Math.floor(errors.length * 0.95)];
    expect(p95).toBeLessThan(150);
  });
});
