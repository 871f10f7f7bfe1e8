// `followHome` with another SDK, room or `onAuth` than it was made for.
import { Client } from '@colyseus/sdk';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FollowOptions, followHome, type HomeFollower } from '../../../client/follow/follow-home.ts';
import { startHomeServer } from '../../support/game/home-server.ts';
import { eventOf, FakeSdk, joinFault, noHandler, rejected } from '../support/fake-sdk.ts';
import { ManualPlatform, settled } from '../support/manual-platform.ts';

let platform: ManualPlatform;
let sdk: FakeSdk;

beforeEach(() => {
  platform = new ManualPlatform();
  sdk = new FakeSdk(platform);
});

const reply = { seq: 6, nowMs: 0, events: [eventOf(6)] };

const online = async (options: Partial<FollowOptions> = {}): Promise<HomeFollower> => {
  const follower = followHome({ client: sdk, platform, ...options });
  onTestFinished(() => follower.close());
  await settled();
  sdk.room.show({ seq: 5 });
  await platform.pass(1);
  return follower;
};

/** In a room again: its server shows the home at each join. */
const untilJoins = async (rooms: number): Promise<void> => {
  while (sdk.rooms.length < rooms) await platform.pass(50);
  sdk.room.show({ seq: 5 });
  await platform.pass(1);
};

const unknownCommand = (type: string) => ({
  rejection: {
    code: 'command/invalid',
    params: { faults: [{ path: 'type', message: `${type} is no message of this room` }] },
    retryable: false,
  },
});

const outcomeOf = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error);

describe('an SDK without requests', () => {
  beforeEach(() => {
    sdk.isPlain = true;
  });

  it('gives commands by plain messages, and reads the reply of each by its commandId', async () => {
    const follower = await online();
    sdk.answer = ({ type }) => {
      if (type === 'home:time') return sdk.time();
      return type === 'home:feed' ? reply : rejected('pet/unknown', { petId: 'ann~p2' });
    };
    const fed = follower.feed('ann~p1', 'dog-food');
    const released = outcomeOf(follower.release('ann~p2'));
    await platform.pass(1);
    expect(await fed).toEqual(reply);
    expect(await released).toMatchObject({ rejection: { code: 'pet/unknown', params: { petId: 'ann~p2' } } });
    expect(follower.nowMs()).toBe(sdk.nowMs());
  });

  it('sends again what nobody knows the outcome of, under the same id', async () => {
    const follower = await online();
    let sent = 0;
    sdk.answer = ({ type }) => {
      if (type === 'home:time') return sdk.time();
      sent += 1;
      return sent < 9 ? rejected('server/unavailable', { outcome: 'unknown' }, true) : reply;
    };
    const fed = follower.feed('ann~p1', 'dog-food');
    await platform.pass(120_000);
    expect(await fed).toEqual(reply);
    expect(new Set(sdk.room.of('home:feed').map(({ payload }) => payload.commandId)).size).toBe(1);
  });

  it('is thrown out for an unknown command, which alone is refused, the second time; the others are done', async () => {
    const follower = await online();
    sdk.unknown = ['home:release'];
    sdk.answer = ({ type }) => (type === 'home:time' ? sdk.time() : type === 'home:sync' ? undefined : reply);
    const fed = follower.feed('ann~p1', 'dog-food');
    const unknown = outcomeOf(follower.release('ann~p1'));
    const adopted = follower.adopt('Rex', 'dog');
    await platform.pass(1);
    await untilJoins(2);
    await untilJoins(3);
    expect(await unknown).toMatchObject(unknownCommand('home:release'));
    expect([await fed, await adopted]).toEqual([reply, reply]);
    await platform.pass(60_000);
    expect(follower.waiting).toBe(0);
  });
});

it('an unknown command is refused at once, with its name', async () => {
  const follower = await online();
  sdk.answer = ({ type }) => (type === 'home:time' ? sdk.time() : noHandler());
  const asked = outcomeOf(follower.release('ann~p1'));
  await platform.pass(1);
  expect(await asked).toMatchObject(unknownCommand('home:release'));
  expect(sdk.room.of('home:release')).toHaveLength(1);
});

describe('a command that cannot be sent', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;

  it.each<[string, object]>([
    ['a circle', circle],
    ['a circle below', { list: [{ circle }] }],
    ['a bigint', { count: 10n ** 40n }],
    ['a symbol', { name: Symbol('Rex') }],
    [
      'a getter that throws',
      {
        get name() {
          throw new Error('odd');
        },
      },
    ],
    [
      'a getter below that throws',
      {
        deep: {
          get name() {
            throw new Error('odd');
          },
        },
      },
    ],
    [
      'a toJSON that throws',
      {
        at: new Date(Number.NaN),
        bad: {
          toJSON: () => {
            throw new Error('odd');
          },
        },
      },
    ],
  ] as never)('is refused at once, online or not, and waits for nothing: %s', async (_, payload) => {
    const follower = await online();
    const command = () => outcomeOf(follower.command('home:adopt', payload as never));
    const refusal = { name: 'CommandRefused', rejection: { code: 'command/invalid', retryable: false } };
    expect(await command()).toMatchObject(refusal);
    expect(await outcomeOf(follower.quote('home:adopt', payload as never))).toMatchObject(refusal);
    sdk.room.break(1006);
    expect(await command()).toMatchObject(refusal);
    expect([follower.waiting, sdk.room.of('home:adopt').length, sdk.room.of('home:quote').length]).toEqual([0, 0, 0]);
  });

  describe.each([
    ['requests', false],
    ['plain messages', true],
  ])('by %s', (_, isPlain) => {
    it.each([
      [1009, 'command/too-large'],
      [4002, 'command/invalid'],
    ])(
      'and closes the connection with %i is refused the second time, and the others are done',
      async (code, refusal) => {
        sdk.isPlain = isPlain;
        const follower = await online();
        sdk.answer = ({ type, payload }, room) => {
          if (type === 'home:time') return sdk.time();
          return payload.name === 'bad' ? room.break(code) : type === 'home:sync' ? undefined : reply;
        };
        const bad = outcomeOf(follower.adopt('bad', 'dog'));
        const fed = follower.feed('ann~p1', 'dog-food');
        await platform.pass(1);
        await untilJoins(2);
        const adopted = follower.adopt('Rex', 'dog');
        await untilJoins(3);
        expect(await bad).toMatchObject({ name: 'CommandRefused', rejection: { code: refusal, retryable: false } });
        expect([await fed, await adopted]).toEqual([reply, reply]);
        await platform.pass(60_000);
        expect([follower.waiting, follower.connection.phase, sdk.rooms.length]).toEqual([0, 'online', 3]);
      },
    );
  });

  it('is not refused for a connection that broke by itself', async () => {
    const follower = await online();
    const adopted = follower.adopt('Rex', 'dog');
    for (let rooms = 2; rooms < 6; rooms += 1) {
      sdk.room.break(1006);
      await untilJoins(rooms);
    }
    sdk.answer = ({ type }) => (type === 'home:time' ? sdk.time() : reply);
    await platform.pass(60_000);
    expect(await adopted).toEqual(reply);
  });
});

describe('a token that the server refuses', () => {
  const signInTo =
    (...tokens: readonly string[]) =>
    async (): Promise<void> => {
      sdk.signIns += 1;
      sdk.auth.token = tokens[sdk.signIns - 1] ?? 'none';
    };

  it.each([
    ['the code 525', () => joinFault(525, 'onAuth failed')],
    ['a text of its own with the code 525', () => joinFault(525, 'too old')],
    ['a text that begins with auth/', () => joinFault(523, 'auth/expired')],
  ])('is asked for anew once, and the player is in: %s', async (_, fault) => {
    sdk.auth.token = 'old';
    sdk.faults.push(fault());
    const follower = await online({ signIn: signInTo('new') });
    expect([follower.connection.phase, sdk.signIns, sdk.auth.token]).toEqual(['online', 1, 'new']);
  });

  it.each([
    [joinFault(525, 'onAuth failed'), 'auth/refused'],
    [joinFault(523, 'auth/expired'), 'auth/expired'],
  ])('twice is `refused` for good: %s', async (fault, code) => {
    sdk.auth.token = 'old';
    sdk.faults.push(fault, fault);
    const follower = followHome({ client: sdk, platform, signIn: signInTo('new') });
    await platform.pass(120_000);
    expect(follower.connection).toEqual({ phase: 'refused', code });
    expect([sdk.joins.length, sdk.signIns]).toEqual([2, 1]);
  });

  it('is asked for anew again when the one before had been good', async () => {
    sdk.auth.token = 'old';
    sdk.faults.push(joinFault(525, 'onAuth failed'));
    const follower = await online({ signIn: signInTo('second', 'third') });
    sdk.faults.push(joinFault(525, 'onAuth failed'));
    sdk.room.break(1006);
    await untilJoins(2);
    expect([follower.connection.phase, sdk.auth.token]).toEqual(['online', 'third']);
  });

  it('waits for a sign-in that finds no network, and keeps the old token meanwhile', async () => {
    sdk.auth.token = 'old';
    sdk.faults.push(joinFault(525, 'onAuth failed'));
    let fails = 2;
    const signIn = async (): Promise<void> => {
      fails -= 1;
      if (fails >= 0) throw new Error('fetch failed');
      sdk.auth.token = 'new';
    };
    const follower = followHome({ client: sdk, platform, signIn });
    await settled();
    expect([follower.connection.phase, sdk.auth.token]).toEqual(['waiting', 'old']);
    await untilJoins(1);
    expect([follower.connection.phase, sdk.auth.token]).toEqual(['online', 'new']);
  });

  it('of a guest is kept: a new one would be somebody else', async () => {
    sdk.auth.token = 'old';
    sdk.faults.push(joinFault(525, 'onAuth failed'));
    const follower = followHome({ client: sdk, platform });
    await platform.pass(60_000);
    expect(follower.connection).toEqual({ phase: 'refused', code: 'auth/refused' });
    expect([sdk.auth.token, sdk.signIns]).toEqual(['old', 0]);
  });
});

describe('a real server', () => {
  /** As an SDK before 0.18 makes rooms. */
  const withoutRequests = (client: Client): Client => {
    const join = client.joinOrCreate.bind(client);
    client.joinOrCreate = (async (name: string, options: object) =>
      Object.assign(await join(name, options), { request: undefined })) as unknown as typeof client.joinOrCreate;
    return client;
  };

  it.each<[string, string, object, string]>([
    ['5 kB', 'home:adopt', { name: 'x'.repeat(5_000), species: 'dog' }, 'command/too-large'],
    ['a hundred kB', 'home:adopt', { name: 'x'.repeat(100_000), species: 'dog' }, 'command/too-large'],
    ['a type of 3,000 characters', `home:${'x'.repeat(3_000)}`, {}, 'command/too-large'],
  ])('refuses a command of %s, and does the others', { timeout: 30_000 }, async (_, type, payload, code) => {
    const server = await startHomeServer();
    onTestFinished(() => server.close());
    const follower = followHome({ client: new Client(server.address) });
    onTestFinished(() => follower.close());
    await vi.waitFor(() => expect(follower.connection.phase).toBe('online'), { timeout: 10_000, interval: 5 });
    const [bad, adopted] = await Promise.all([
      outcomeOf(follower.command(type as never, payload as never)),
      follower.adopt('Rex', 'dog'),
    ]);
    expect(bad).toMatchObject({ name: 'CommandRefused', rejection: { code } });
    expect(adopted.events.map((event) => event.type)).toEqual(['pet-adopted']);
    expect(follower.waiting).toBe(0);
  });

  it.each([
    ['requests', (client: Client) => client],
    ['plain messages', withoutRequests],
  ])('refuses an unknown command by %s, and does the others', { timeout: 30_000 }, async (_, made) => {
    const server = await startHomeServer();
    onTestFinished(() => server.close());
    const follower = followHome({ client: made(new Client(server.address)) });
    onTestFinished(() => follower.close());
    await vi.waitFor(() => expect(follower.connection.phase).toBe('online'), { timeout: 10_000, interval: 5 });
    const [unknown, adopted] = await Promise.all([
      outcomeOf((follower as HomeFollower<never>).command('village:build' as never, {} as never)),
      follower.adopt('Rex', 'dog'),
    ]);
    expect(unknown).toMatchObject(unknownCommand('village:build'));
    expect(adopted.events.map(({ type }) => type)).toEqual(['pet-adopted']);
    expect((await follower.quote('home:release', { petId: adopted.petId ?? '' }))?.events).toMatchObject([
      { type: 'pet-released' },
    ]);
  });
});
