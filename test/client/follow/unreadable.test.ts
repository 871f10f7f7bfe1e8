import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { followHome } from '../../../client/follow/follow-home.ts';
import { FakeSdk } from '../support/fake-sdk.ts';
import { ManualPlatform, settled } from '../support/manual-platform.ts';

let platform: ManualPlatform;
let sdk: FakeSdk;
let faults: string[];
let lost: unknown[];

beforeEach(() => {
  platform = new ManualPlatform();
  sdk = new FakeSdk(platform);
  faults = [];
  lost = [];
  const note = (reason: unknown): void => void lost.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
});

const follow = async () => {
  const follower = followHome({ client: sdk, platform, onFault: (name) => faults.push(name) });
  await settled();
  sdk.room.show({ seq: 1 });
  await settled();
  return follower;
};

const shapes = [null, undefined, 5, 'text', [], {}, { events: 5 }, { events: [null] }, { things: [null] }, { more: 5 }];

const pushes = ['home:events', 'home:things', 'home:rejected', 'home:rules', 'home:token', 'home:drain'].flatMap(
  (type) => shapes.map((message) => ({ type, message })),
);

describe('a message of another shape', () => {
  it.each(pushes)('$type $message throws nothing into the SDK, and following goes on', async ({ type, message }) => {
    const follower = await follow();
    sdk.room.push(type, message as object);
    sdk.room.show({ seq: 2 });
    await platform.pass(60_000);
    sdk.room.show({ seq: 9 });
    await settled();
    expect(lost).toEqual([]);
    expect(follower.connection).toEqual({ phase: 'online' });
    expect(follower.home).toMatchObject({ seq: 9, playerId: 'ann' });
  });

  it('is reported with its type, and a new connection brings the whole home', async () => {
    const follower = await follow();
    sdk.room.push('home:things', { seq: 2, things: 5 });
    expect(faults).toEqual(['home:things']);
    expect(sdk.rooms[0]?.isLeft).toBe(true);
    expect(follower.connection.phase).toBe('waiting');
    await platform.pass(1_000);
    expect(sdk.rooms).toHaveLength(2);
    sdk.room.show({ seq: 3 });
    expect(follower.home?.seq).toBe(3);
  });
});

const replies = ['home:time', 'home:sync', 'home:feed', 'home:quote'].flatMap((type) =>
  [null, 5, 'text', [], {}, { events: 5 }, { events: [null] }].map((reply) => ({ type, reply })),
);

describe('a reply of another shape', () => {
  it.each(replies)('to $type, $reply, is no unhandled error, and the next one counts', async ({ type, reply }) => {
    const answers = sdk.answer;
    sdk.answer = (request, room) => (request.type === type ? reply : answers(request, room));
    const follower = await follow();
    sdk.room.tell([3]);
    follower.quote('home:feed', { petId: 'p1', food: 'kibble' });
    follower.feed('p1', 'kibble');
    await platform.pass(10_000);
    expect(lost).toEqual([]);
    sdk.answer = ({ type: asked }) => (asked === 'home:time' ? sdk.time() : { events: [], nowMs: 1, id: 'p2' });
    await platform.pass(60_000);
    sdk.room.show({ seq: 9 });
    const command = follower.adopt('Rex', 'dog');
    await platform.pass(100);
    expect(await command).toMatchObject({ id: 'p2' });
    expect(follower.nowMs()).toBe(sdk.nowMs());
    expect(lost).toEqual([]);
  });

  it('is reported with the type of the request, and its sender gets it', async () => {
    sdk.answer = ({ type }) => (type === 'home:time' ? sdk.time() : { id: 'p2' });
    const follower = await follow();
    const command = follower.adopt('Rex', 'dog');
    await platform.pass(100);
    expect(await command).toEqual({ id: 'p2' });
    expect(faults).toEqual(['home:adopt']);
  });
});
