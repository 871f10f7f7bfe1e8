import { beforeEach, describe, expect, it } from 'vitest';
import { type FollowOptions, followHome, type ShownHome } from '../../../client/follow/follow-home.ts';
import type { village } from '../../../examples/village.ts';
import type { pets } from '../../../server/kibble.ts';
import { FakeSdk } from '../support/fake-sdk.ts';
import { ManualPlatform, settled } from '../support/manual-platform.ts';

type Game = [typeof pets, typeof village];

let platform: ManualPlatform;
let sdk: FakeSdk;
let shown: ShownHome<Game>[];

beforeEach(() => {
  platform = new ManualPlatform();
  sdk = new FakeSdk(platform);
  shown = [];
});

const follow = async (options: Partial<FollowOptions<Game>> = {}) => {
  const follower = followHome<Game>({ client: sdk, platform, onHome: (home) => shown.push(home), ...options });
  await settled();
  return follower;
};

const site = (id: string, level: number, more: object = {}) => ({
  module: 'village',
  id,
  version: 1,
  dueAt: 0,
  state: { level },
  ...more,
});
const snapshot = { playerId: 'ann', epoch: 'one' };
const things = (message: object): void => sdk.room.push('home:things', { things: [], gone: [], items: {}, ...message });
const levels = (home: ShownHome<Game> | undefined) =>
  Object.entries(home?.things.village ?? {}).map(([id, thing]) => [id, thing?.state.level]);

describe('the things of a home', () => {
  it('are shown by module and id, as each commit left them', async () => {
    const follower = await follow();
    things({ seq: 2, things: [site('hall', 1), site('mill', 1)], items: { wood: 5 }, snapshot });
    things({ seq: 3, things: [site('hall', 2, { dueAt: 9 })], gone: [{ module: 'village', id: 'mill' }], items: {} });
    expect(shown.map(levels)).toEqual([
      [
        ['hall', 1],
        ['mill', 1],
      ],
      [['hall', 2]],
    ]);
    expect(follower.home).toMatchObject({ seq: 3, playerId: 'ann', epoch: 'one', items: {} });
    expect(follower.home?.things.village?.hall).toEqual({ id: 'hall', version: 1, dueAt: 9, state: { level: 2 } });
  });

  it('are shown when their last part is here', async () => {
    await follow();
    things({ seq: 2, things: [site('hall', 1)], snapshot, more: true });
    expect(shown).toEqual([]);
    things({ seq: 2, things: [site('mill', 1)], snapshot });
    expect(shown.map(levels)).toEqual([
      [
        ['hall', 1],
        ['mill', 1],
      ],
    ]);
  });

  it('are read once on a slow connection, where replies wait behind the parts', async () => {
    sdk.answer = () => undefined;
    const follower = await follow();
    for (let level = 1; level <= 8; level += 1) {
      await platform.pass(6_000);
      things({ seq: 2, things: [site(`site-${level}`, level)], snapshot, ...(level < 8 && { more: true }) });
    }
    expect([follower.connection.phase, sdk.rooms.length, sdk.room.of('home:sync')]).toEqual(['online', 1, []]);
    expect(levels(follower.home)).toHaveLength(8);
  });

  it('are read anew on another connection when no part follows for 15 s', async () => {
    sdk.answer = () => undefined;
    const follower = await follow();
    await platform.pass(6_000);
    things({ seq: 2, things: [site('hall', 1)], snapshot, more: true });
    await platform.pass(14_999);
    expect(follower.connection.phase).toBe('connecting');
    await platform.pass(1);
    expect([follower.connection.phase, sdk.room.isLeft]).toEqual(['waiting', true]);
  });

  it('are never older than what is shown, on one connection', async () => {
    await follow();
    things({ seq: 5, things: [site('hall', 5)], snapshot });
    for (const seq of [4, 5]) things({ seq, things: [site('hall', 1)] });
    things({ seq: 4, things: [site('hall', 1)], snapshot });
    expect(shown.map(levels)).toEqual([[['hall', 5]]]);
    things({ seq: 5, things: [site('hall', 5)], snapshot, fault: { module: 'village', thing: 'hall' } });
    expect(shown.at(-1)?.fault).toEqual({ module: 'village', thing: 'hall' });
    things({ seq: 6, things: [site('hall', 6)] });
    expect(shown.at(-1)?.fault).toBeUndefined();
  });

  it('begin anew with the first message of a connection: a database may have been put back', async () => {
    const follower = await follow();
    things({ seq: 5, things: [site('hall', 5), site('mill', 5)], snapshot });
    sdk.room.break(1006);
    while (sdk.rooms.length < 2) await platform.pass(50);
    expect(levels(follower.home)).toHaveLength(2);
    // Nothing of a commit can be shown without what was before it.
    things({ seq: 6, things: [site('mill', 6)] });
    expect(shown).toHaveLength(1);
    things({ seq: 3, things: [site('hall', 3)], snapshot });
    expect(levels(follower.home)).toEqual([['hall', 3]]);
  });

  it('may be called what every object has', async () => {
    const follower = await follow();
    things({ seq: 1, snapshot });
    things({ seq: 2, things: [site('__proto__', 1), site('hall', 1)] });
    expect(follower.home?.things.village?.constructor).toBeUndefined();
    things({ seq: 3, things: [site('constructor', 1)], gone: [{ module: 'village', id: '__proto__' }] });
    expect(Object.keys(follower.home?.things.village ?? {})).toEqual(['hall', 'constructor']);
  });

  it('are asked for where the join brought none, with what was missed', async () => {
    sdk.answer = ({ type }, room) => {
      if (type !== 'home:sync') return sdk.time();
      room.push('home:things', { seq: 5, things: [site('hall', 1)], gone: [], items: {}, snapshot });
      return { seq: 5, nowMs: 0, events: [] };
    };
    const follower = await follow({ since: { epoch: 'one', seq: 4 } });
    await platform.pass(1);
    expect(sdk.room.of('home:sync')).toMatchObject([{ payload: { afterSeq: 4, epoch: 'one', snapshot: true } }]);
    expect(follower.connection.phase).toBe('online');
    expect(levels(follower.home)).toEqual([['hall', 1]]);
  });
});

describe('a client that is older than the server', () => {
  it('is told once of each module that is newer or unknown, and shows the others', async () => {
    const outdated: string[] = [];
    const follower = await follow({ versions: { pets: 1, village: 1 }, onOutdated: (module) => outdated.push(module) });
    const tree = { module: 'trees', id: 'oak', version: 1, dueAt: 0, state: {} };
    things({ seq: 1, things: [site('hall', 1)], snapshot });
    expect(outdated).toEqual([]);
    things({ seq: 2, things: [site('hall', 2, { version: 2 }), tree] });
    things({ seq: 3, things: [site('mill', 3, { version: 2 }), tree] });
    expect(outdated).toEqual(['village', 'trees']);
    expect(levels(follower.home)).toEqual([
      ['hall', 2],
      ['mill', 3],
    ]);
  });

  it('hears nothing of it when it does not say what it was made for', async () => {
    const outdated: string[] = [];
    await follow({ onOutdated: (module) => outdated.push(module) });
    things({ seq: 1, things: [site('hall', 1, { version: 9 })], snapshot });
    expect(outdated).toEqual([]);
  });
});

describe('rules that change', () => {
  it('are named with their version, on each connection', async () => {
    const heard: unknown[] = [];
    await follow({ onRules: (rules) => heard.push(rules) });
    things({ seq: 1, things: [site('hall', 1)], snapshot });
    sdk.room.push('home:rules', { module: 'village', version: 2 });
    sdk.room.break(1006);
    await platform.pass(60_000);
    things({ seq: 1, things: [site('hall', 1)], snapshot });
    sdk.room.push('home:rules', { module: 'village', version: 3 });
    expect(heard).toEqual([
      { module: 'village', version: 2 },
      { module: 'village', version: 3 },
    ]);
  });
});
