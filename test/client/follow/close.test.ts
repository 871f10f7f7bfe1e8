import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FollowOptions, followHome, type HomeFollower } from '../../../client/follow/follow-home.ts';
import type { CallbacksOf } from '../../game-code/hostile.ts';
import { FakeSdk, joinFault } from '../support/fake-sdk.ts';
import { ManualPlatform, settled } from '../support/manual-platform.ts';

let platform: ManualPlatform;
let sdk: FakeSdk;

beforeEach(() => {
  platform = new ManualPlatform();
  sdk = new FakeSdk(platform);
});

/** The follower's calls into the game, of which the one named `at` closes it. */
const play = async (at: string) => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  const calls: string[] = [];
  let follower: HomeFollower | undefined;
  const note = (call: string): void => {
    calls.push(call);
    if (call === at) follower?.close();
  };
  const join = async (): Promise<Awaited<ReturnType<FollowOptions['join'] & object>>> => {
    note('join');
    return sdk.joinOrCreate('home', { things: true });
  };
  const signIn = async (): Promise<void> => {
    note('signIn');
    sdk.auth.token = `token-${sdk.joins.length}`;
  };
  follower = followHome({
    client: sdk,
    platform,
    tokens: { load: () => note('tokens.load') as undefined, save: () => note('tokens.save') },
    signIn,
    join,
    since: { epoch: 'none', seq: 1 },
    versions: {} as never,
    onHome: () => {
      note('onHome');
      throw new Error('torn');
    },
    onEvents: () => note('onEvents'),
    onConnection: ({ phase }) => note(`onConnection ${phase}`),
    onNewLog: () => note('onNewLog'),
    onOutdated: () => note('onOutdated'),
    onRules: () => note('onRules'),
    onFault: () => note('onFault'),
  });
  const show = async (): Promise<void> => {
    await settled();
    const site = { module: 'village', id: 'hall', version: 9, dueAt: 0, state: {} };
    const room = sdk.rooms.at(-1);
    room?.push('home:things', {
      seq: 2,
      items: {},
      gone: [],
      things: [site],
      snapshot: { playerId: 'ann', epoch: 'one' },
    });
    room?.push('home:events', { events: [{ v: 1, seq: 3, at: 1, type: 'sung' }], nowMs: 1 });
    room?.push('home:rules', { module: 'village', version: 2 });
    await settled();
  };
  await show();
  sdk.faults.push(joinFault(525, 'onAuth failed'), joinFault(525, 'onAuth failed'));
  if (sdk.rooms.length > 0) sdk.room.break(1006);
  await platform.pass(60_000);
  follower.resync();
  await show();
  follower.signInAnew();
  await show();
  return { calls, follower };
};

const places = [
  'signIn',
  'join',
  'tokens.save',
  'onHome',
  'onEvents',
  'onNewLog',
  'onOutdated',
  'onRules',
  'onFault',
  'onConnection connecting',
  'onConnection online',
  'onConnection waiting',
  'onConnection refused',
  'onConnection closed',
] as const;
// A new callback without a place does not compile.
type Place = (typeof places)[number] extends infer P ? (P extends `${infer Name} ${string}` ? Name : P) : never;
const complete: CallbacksOf<FollowOptions> extends Place ? true : never = true;

describe('a follower that is closed', () => {
  it.each(places)('in %s calls nothing after that, and stays closed', async (place) => {
    expect(complete).toBe(true);
    const { calls, follower } = await play(place);
    follower.close();
    const joins = sdk.joins.length;
    await platform.pass(600_000);
    expect(follower.connection).toEqual({ phase: 'closed' });
    expect(sdk.joins.length).toBe(joins);
    expect(calls).toContain(place);
    expect(calls.filter((call) => call === 'onConnection closed')).toHaveLength(1);
    expect(calls.at(-1)).toBe('onConnection closed');
    expect(sdk.rooms.every((room) => room.isLeft)).toBe(true);
  });

  it('during a sign-in joins no more, and saves no token', async () => {
    let saves = 0;
    sdk.auth.token = 'old';
    sdk.faults.push(joinFault(525, 'onAuth failed'));
    const signedIn = Promise.withResolvers<void>();
    const follower = followHome({
      client: sdk,
      platform,
      tokens: { load: () => undefined, save: () => (saves += 1) },
      signIn: () => signedIn.promise,
    });
    await settled();
    follower.close();
    signedIn.resolve();
    await platform.pass(60_000);
    expect([sdk.joins.length, saves]).toEqual([1, 0]);
  });

  it('keeps its token and its phase, whatever is called on it', async () => {
    const follower = followHome({ client: sdk, platform });
    await settled();
    follower.close();
    follower.signInAnew();
    follower.resync();
    follower.close();
    await platform.pass(60_000);
    expect([follower.connection.phase, sdk.auth.token, sdk.joins.length]).toEqual(['closed', 'guest-1', 1]);
  });
});
