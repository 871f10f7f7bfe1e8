import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { random } from '../../../../server/adapter/machine/random.ts';
import { type RedisScripts, redisScripts } from '../../../../server/adapter/redis/index/redis-scripts.ts';

const url = inject('redisUrl');
const AT_MS = 1_790_000_000_000;
const GROUP = 'workers';

const folder = path.join(import.meta.dirname, '../../../../server/adapter/redis/index/lua');
/** The commands in the scripts, `xgroup|create` with its subcommand. Without the right to PUBLISH they do their work. */
const calledByScripts = new Set(
  readdirSync(folder)
    .filter((file) => file !== 'probe.lua')
    .flatMap((file) => [
      ...readFileSync(path.join(folder, file), 'utf8').matchAll(/redis\.call\('(\w+)'(?:, '([A-Z]{2,})')?/g),
    ])
    .map(([, name = '', part]) => (part === undefined ? name : `${name}|${part}`).toLowerCase()),
);
/** The commands that the index sends without a script. */
const calledByTheIndex = 'zcard zcount zmscore zrangebyscore del set get time xrange xreadgroup xautoclaim'.split(' ');

/** Each script by itself, on keys of its own: what it leaves, and what its header says that it returns. */
describe.skipIf(url === '')('the script', () => {
  let client: Redis;
  let scripts: RedisScripts;
  let due: string;
  let owners: string;
  let stream: string;
  let mark: string;
  let wake: string;

  beforeEach(async () => {
    client = new Redis(url);
    scripts = redisScripts(client);
    const prefix = `{${random.uniqueName()}}`;
    due = `${prefix}:due`;
    owners = `${prefix}:owner:`;
    stream = `${prefix}:stream`;
    mark = `${prefix}:mark`;
    wake = `${prefix}:wake`;
    await client.set(mark, '0');
  });
  afterEach(() => client.disconnect());

  const score = (atMs: number, revision: number): string => String(atMs + (revision % 2048) / 2048);
  const put = (...entries: readonly (readonly [id: string, owner: string, atMs: number, revision: number])[]) =>
    scripts.put(
      [due, mark],
      [owners, wake, '1:0', ...entries.flatMap(([id, owner, ms, revision]) => [id, owner, score(ms, revision)])],
    );
  const remove = (...entries: readonly (readonly [id: string, owner: string, revision: number])[]) =>
    scripts.remove([due], [owners, ...entries.flatMap(([id, owner, revision]) => [id, owner, revision % 2048])]);
  const handOff = (nowMs: number, limit = 100, size = 50) =>
    scripts.handOff([due, stream], [nowMs + 1, limit, size, owners, wake, '1:0']);
  const entries = async (): Promise<readonly string[][]> =>
    (await client.xrange(stream, '-', '+')).map(([, one]) => one);

  const heard = async (during: () => Promise<unknown>): Promise<readonly string[]> => {
    const listener = client.duplicate();
    const messages: string[] = [];
    await listener.subscribe(wake);
    // A connection hears in order: the last message says that all before have come.
    const all = new Promise<void>((resolve) => {
      listener.on('message', (_channel, text: string) => (text === 'end' ? resolve() : messages.push(text)));
    });
    await during();
    await client.publish(wake, 'end');
    await all;
    listener.disconnect();
    return messages;
  };

  it('put adds and moves timers in both orders, and says how many', async () => {
    expect(await put(['1', 'ann', AT_MS, 1], ['2', 'bob', AT_MS + 5, 1], ['3', 'ann', AT_MS + 9, 1])).toBe(3);
    expect(await client.zrange(due, '0', '-1')).toEqual(['1:ann', '2:bob', '3:ann']);
    expect(await client.zrange(`${owners}ann`, '0', '-1')).toEqual(['1', '3']);
    expect(await put(['1', 'ann', AT_MS + 20, 2], ['2', 'bob', AT_MS, 0])).toBe(1);
    expect(await client.zrange(due, '0', '-1')).toEqual(['2:bob', '3:ann', '1:ann']);
    expect(await client.zscore(`${owners}ann`, '1')).toBe(score(AT_MS + 20, 2));
    expect(await put(['2', 'bob', AT_MS, 0])).toBe(0);
  });

  it.each([
    [0, 0, 1],
    [0, 1, 1],
    [0, 1023, 1],
    [0, 1024, 0],
    [1, 0, 0],
    [2047, 2048, 1],
    [2047, 0, 1],
    [1024, 0, 0],
    [1025, 0, 1],
  ])('put, where %s is there, lets %s replace it: %s', async (before, after, moved) => {
    await put(['1', 'ann', AT_MS, before]);
    expect(await put(['1', 'ann', AT_MS + 3, after])).toBe(moved);
  });

  it.each([
    [0, 0, 1],
    [1, 0, 0],
    [0, 1, 1],
    [0, 1023, 1],
    [0, 1024, 0],
    [1024, 0, 0],
    [1025, 0, 1],
    [1024, 2047, 1],
    [2047, 2048, 1],
  ])('remove, where %s is there, lets %s remove it: %s', async (before, after, removed) => {
    // Even and odd: the time is no part of the revision.
    await put(['1', 'ann', AT_MS + 1, before]);
    expect(await remove(['1', 'ann', after])).toBe(removed);
    expect(await client.zcard(due)).toBe(1 - removed);
  });

  it('put takes nothing without a mark', async () => {
    await client.del(mark);
    expect(await put(['1', 'ann', AT_MS, 1])).toBe(-1);
    expect(await client.zcard(due)).toBe(0);
  });

  it('put tells of a head that is earlier, and of no other change', async () => {
    expect(await heard(() => put(['1', 'ann', AT_MS, 1]))).toEqual([`head 1:0 ${score(AT_MS, 1)}`]);
    expect(await heard(() => put(['2', 'ann', AT_MS + 1, 1]))).toEqual([]);
    expect(await heard(() => put(['1', 'ann', AT_MS, 1]))).toEqual([]);
    expect(await heard(() => put(['3', 'ann', AT_MS - 1, 1]))).toEqual([`head 1:0 ${score(AT_MS - 1, 1)}`]);
  });

  it('remove takes timers out of both orders, and says how many', async () => {
    await put(['1', 'ann', AT_MS, 1], ['2', 'bob', AT_MS, 1], ['3', 'ann', AT_MS, 1], ['4', 'ann', AT_MS, 3]);
    expect(await remove(['1', 'ann', 1], ['9', 'bob', 1], ['2', 'bob', 2], ['4', 'ann', 2], ['3', 'ann', 1])).toBe(3);
    expect(await client.zrange(due, '0', '-1')).toEqual(['4:ann']);
    expect(await client.zrange(`${owners}ann`, '0', '-1')).toEqual(['4']);
    expect(await client.exists(`${owners}bob`)).toBe(0);
  });

  it('hand-off moves what is due, in entries of a size, and says how many and what comes next', async () => {
    const five = ['1', '2', '3', '4', '5'].map((id) => [id, `o${id}`, AT_MS + Number(id), 1] as const);
    await put(...five);
    expect(await handOff(AT_MS)).toEqual([0, score(AT_MS + 1, 1)]);
    expect(await heard(() => handOff(AT_MS))).toEqual([]);
    expect(await client.exists(stream)).toBe(0);
    expect(await handOff(AT_MS + 4, 3, 2)).toEqual([3, score(AT_MS + 4, 1)]);
    expect(await entries()).toEqual([
      ['1', 'o1', '2', 'o2'],
      ['3', 'o3'],
    ]);
    expect(await client.exists(`${owners}o1`, `${owners}o3`)).toBe(0);
    expect(await heard(() => handOff(AT_MS + 5))).toEqual(['delivery 1:0']);
    expect(await handOff(AT_MS + 5)).toEqual([0, null]);
    expect((await entries()).slice(2)).toEqual([['4', 'o4', '5', 'o5']]);
  });

  it('put and hand-off do their work without the right to the wake channel', async () => {
    const user = random.uniqueName();
    const admin = client.duplicate();
    await admin.acl('SETUSER', user, 'on', 'nopass', '~*', '+@all', 'resetchannels');
    const limited = client.duplicate({ username: user, password: 'any' });
    onTestFinished(async () => {
      limited.disconnect();
      await admin.acl('DELUSER', user);
      admin.disconnect();
    });
    await expect(limited.publish(wake, 'end')).rejects.toThrow('NOPERM');
    scripts = redisScripts(limited);
    expect(await put(['1', 'ann', AT_MS, 1])).toBe(1);
    expect(await handOff(AT_MS)).toEqual([1, null]);
    expect(await entries()).toEqual([['1', 'ann']]);
  });

  it('probe is refused to a user who lacks any command that another script or the index calls', async () => {
    const user = random.uniqueName();
    const admin = client.duplicate();
    await admin.acl('SETUSER', user, 'on', 'nopass', '~*', '+@all');
    const limited = client.duplicate({ username: user, password: 'any' });
    onTestFinished(async () => {
      limited.disconnect();
      await admin.acl('DELUSER', user);
      admin.disconnect();
    });
    const { probe } = redisScripts(limited);
    const key = `{${random.uniqueName()}}:probe`;
    await probe([key]);
    expect(await client.exists(key)).toBe(0);
    expect(calledByScripts.size).toBeGreaterThan(15);
    const allowed: string[] = [];
    for (const command of [...calledByScripts, ...calledByTheIndex]) {
      await admin.acl('SETUSER', user, '+@all', `-${command}`);
      await probe([key]).then(
        () => allowed.push(command),
        (error: unknown) => expect(String(error)).toMatch(/NOPERM|user executing the script|ACL failure/),
      );
    }
    expect(allowed).toEqual([]);
  });

  it('hand-off keeps owners whose names hold colons', async () => {
    await put(['1', 'a:b', AT_MS, 1]);
    expect(await handOff(AT_MS)).toEqual([1, null]);
    expect(await entries()).toEqual([['1', 'a:b']]);
    expect(await client.exists(`${owners}a:b`)).toBe(0);
  });

  it('open-stream makes stream and group once, and not where the generation is over', async () => {
    await client.xadd(stream, '*', '1', 'ann');
    expect(await scripts.openStream([stream, mark], [GROUP])).toBe(1);
    expect(await scripts.openStream([stream, mark], [GROUP])).toBe(1);
    expect(await client.xreadgroup('GROUP', GROUP, 'a', 'COUNT', 9, 'STREAMS', stream, '>')).not.toBe(null);
    await client.del(mark, stream);
    expect(await scripts.openStream([stream, mark], [GROUP])).toBe(0);
    expect(await client.exists(stream)).toBe(0);
    await client.set(mark, '0');
    await client.set(stream, 'no stream');
    await expect(scripts.openStream([stream, mark], [GROUP])).rejects.toThrow('WRONGTYPE');
  });

  describe('on deliveries', () => {
    let ids: readonly string[];
    beforeEach(async () => {
      await scripts.openStream([stream, mark], [GROUP]);
      ids = await Promise.all(['1', '2', '3'].map(async (id) => (await client.xadd(stream, '*', id, 'ann')) ?? ''));
      await client.xreadgroup('GROUP', GROUP, 'a', 'COUNT', 2, 'STREAMS', stream, '>');
      await client.xreadgroup('GROUP', GROUP, 'b', 'COUNT', 1, 'STREAMS', stream, '>');
    });

    it('ack forgets them in group and stream', async () => {
      expect(await scripts.ack([stream], [GROUP, ...ids.slice(0, 2)])).toBe(2);
      expect((await client.xrange(stream, '-', '+')).map(([id]) => id)).toEqual(ids.slice(2));
      expect(await client.xpending(stream, GROUP)).toEqual([1, ids[2], ids[2], [['b', '1']]]);
    });

    it('hold makes those of the consumer fresh, and no others its own', async () => {
      const idle = async (): Promise<unknown> => client.xpending(stream, GROUP, 'IDLE', 9_000, '-', '+', 9);
      await client.xclaim(stream, GROUP, 'a', 0, ids[0] ?? '', 'IDLE', 10_000, 'JUSTID');
      await client.xclaim(stream, GROUP, 'b', 0, ids[2] ?? '', 'IDLE', 10_000, 'JUSTID');
      expect(await scripts.extendLease([stream], [GROUP, 'a', ...ids])).toBe(2);
      expect(await idle()).toEqual([[ids[2], 'b', expect.any(Number), 1]]);
      expect(await client.xinfo('CONSUMERS', stream, GROUP)).toEqual([
        expect.arrayContaining(['a', 'pending', 2]),
        expect.arrayContaining(['b', 'pending', 1]),
      ]);
      expect(await scripts.extendLease([stream], [GROUP, 'nobody', ...ids])).toBe(0);
    });

    it('forget-consumers drops those that are silent and hold nothing', async () => {
      expect(await scripts.forgetConsumers([stream], [GROUP, 60_000])).toBe(0);
      await scripts.ack([stream], [GROUP, ...ids.slice(0, 2)]);
      expect(await scripts.forgetConsumers([stream], [GROUP, 60_000])).toBe(0);
      expect(await scripts.forgetConsumers([stream], [GROUP, 0])).toBe(1);
      expect(await client.xinfo('CONSUMERS', stream, GROUP)).toEqual([expect.arrayContaining(['name', 'b'])]);
      expect(await scripts.forgetConsumers([`${stream}:none`], [GROUP, 0])).toBe(0);
    });
  });

  it('finish-rebuild makes a shard whole that is rebuilding, and leaves the pulse of one that is', async () => {
    await client.set(mark, 'rebuilding');
    expect(await scripts.finishRebuild([mark])).toBe(1);
    expect(await client.get(mark)).toBe('0');
    await client.set(mark, '7');
    expect(await scripts.finishRebuild([mark])).toBe(1);
    expect(await client.get(mark)).toBe('7');
    await client.del(mark);
    expect(await scripts.finishRebuild([mark])).toBe(0);
    expect(await client.exists(mark)).toBe(0);
  });

  it('raise-pulse counts on, in a whole shard alone', async () => {
    expect(await scripts.raisePulse([mark])).toBe(1);
    expect(await scripts.raisePulse([mark])).toBe(2);
    await client.set(mark, 'rebuilding');
    expect(await scripts.raisePulse([mark])).toBe(-1);
    await client.del(mark);
    expect(await scripts.raisePulse([mark])).toBe(-1);
  });

  it('drop takes a shard away in bounded steps, and says how much went', async () => {
    await put(['1', 'ann', AT_MS, 1], ['2', 'bob', AT_MS + 1, 1], ['3', 'eve', AT_MS + 2, 1]);
    await client.xadd(stream, '*', '1', 'ann');
    expect(await scripts.drop([due, stream, mark], [owners, 2])).toBe(4);
    expect(await client.exists(stream, mark, `${owners}ann`, `${owners}bob`)).toBe(0);
    expect(await client.zrange(due, '0', '-1')).toEqual(['3:eve']);
    expect(await client.exists(`${owners}eve`)).toBe(1);
    expect(await scripts.drop([due, stream, mark], [owners, 2])).toBe(1);
    expect(await client.exists(due, `${owners}eve`)).toBe(0);
    expect(await scripts.drop([due, stream, mark], [owners, 2])).toBe(0);
  });

  it('beat notes a node by the server’s time, and forgets the silent ones and those of the future', async () => {
    const nowMs = async (): Promise<number> => {
      const [seconds, micros] = await client.time();
      return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
    };
    const beforeMs = await nowMs();
    await client.zadd(due, beforeMs - 60_000, 'silent', beforeMs - 5000, 'alive', beforeMs + 60_000, 'ahead');
    expect(await scripts.heartbeat([due], ['self', 30_000])).toEqual(['alive', 'self']);
    const beatMs = Number(await client.zscore(due, 'self'));
    expect(beatMs).toBeGreaterThanOrEqual(beforeMs);
    expect(beatMs).toBeLessThanOrEqual(await nowMs());
  });
});
