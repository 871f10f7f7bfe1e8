import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FollowOptions, followHome } from '../../../client/follow/follow-home.ts';
import { type CallbacksOf, hostileReturns, hostileThrows, rejectedList } from '../../game-code/hostile.ts';
import { FakeSdk } from '../support/fake-sdk.ts';
import { ManualPlatform, settled } from '../support/manual-platform.ts';

let platform: ManualPlatform;
let sdk: FakeSdk;

beforeEach(() => {
  platform = new ManualPlatform();
  sdk = new FakeSdk(platform);
});

type Code = () => never;
type Options = Partial<FollowOptions>;

/** Where each callback is called. One without a row does not compile. `isAsked`: it is waited for, and tried again. */
const rows = {
  signIn: { with: (code) => ({ signIn: code }), isAsked: true },
  join: { with: (code) => ({ join: code }), isAsked: true },
  onHome: { with: (code) => ({ onHome: code }) },
  onEvents: { with: (code) => ({ onEvents: code }) },
  onConnection: { with: (code) => ({ onConnection: code }) },
  onNewLog: { with: (code) => ({ onNewLog: code }) },
  onOutdated: { with: (code) => ({ onOutdated: code, versions: {} as never }) },
  onRules: { with: (code) => ({ onRules: code }) },
  onFault: { with: (code) => ({ onFault: code, onHome: code }) },
} satisfies Record<CallbacksOf<FollowOptions>, { with(code: Code): Options; readonly isAsked?: boolean }>;

const play = async (options: Options) => {
  const lost: unknown[] = [];
  const note = (reason: unknown): void => void lost.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => void vi.restoreAllMocks());
  const follower = followHome({ client: sdk, platform, ...options });
  await settled();
  const site = { module: 'village', id: 'hall', version: 9, dueAt: 0, state: {} };
  const snapshot = { playerId: 'ann', epoch: 'one' };
  const told = { seq: 2, items: {}, gone: [], things: [site], snapshot };
  const rooms = sdk.rooms.length;
  if (rooms > 0) {
    sdk.room.push('home:things', told);
    sdk.room.push('home:events', { events: [{ v: 1, seq: 3, at: 1, type: 'sung' }], nowMs: 1 });
    sdk.room.push('home:rules', { module: 'village', version: 2 });
    sdk.room.push('home:things', { ...told, seq: 4, snapshot: { ...snapshot, epoch: 'two' } });
  }
  await settled();
  return { follower, lost };
};

describe.each(Object.entries(rows))('%s', (name, row: { with(code: Code): Options; readonly isAsked?: boolean }) => {
  it.each([
    ...hostileThrows.map(
      ({ what, make }) =>
        [
          `throws ${what}`,
          (() => {
            throw make();
          }) as Code,
        ] as const,
    ),
    ...hostileThrows.map(
      ({ what, make }) => [`rejects with ${what}`, (() => Promise.reject(make())) as unknown as Code] as const,
    ),
    ['returns a list of rejected promises', rejectedList as unknown as Code] as const,
    ...hostileReturns.map(({ what, make }) => [`returns ${what}`, make as unknown as Code] as const),
  ])('that %s ends no following', async (what, code) => {
    const { follower, lost } = await play(row.with(code));
    expect(lost).toEqual([]);
    if (!row.isAsked) {
      expect(follower.connection).toEqual({ phase: 'online' });
      expect(follower.home?.seq).toBe(4);
      if (/^(throws|rejects)/.test(what)) {
        expect(vi.mocked(console.error).mock.calls.join()).toContain(`followHome: ${name} failed`);
      }
    } else if (/^(throws|rejects)/.test(what)) {
      expect(follower.connection).toMatchObject({ phase: 'waiting', error: expect.any(Error) });
    } else {
      expect(['online', 'waiting']).toContain(follower.connection.phase);
    }
    follower.close();
    await settled();
    expect(lost).toEqual([]);
  });
});

it('onFault is told which callback failed, instead of the console', async () => {
  const faults: unknown[] = [];
  const torn = new Error('torn');
  await play({
    onHome: () => {
      throw torn;
    },
    onFault: (...fault) => faults.push(fault),
  });
  expect(faults).toEqual([
    ['onHome', torn],
    ['onHome', torn],
  ]);
  expect(console.error).not.toHaveBeenCalled();
});

it('where the token is kept may fail as well', async () => {
  const tokens = {
    load: () => {
      throw new Error('no storage');
    },
    save: () => {
      throw new Error('no storage');
    },
  };
  const { follower, lost } = await play({ tokens });
  expect(follower.connection).toEqual({ phase: 'online' });
  expect(lost).toEqual([]);
});
