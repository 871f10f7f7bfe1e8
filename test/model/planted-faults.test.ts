import { describe, expect, inject, it } from 'vitest';
import { random } from '../../server/adapter/machine/random.ts';
import { systemClock } from '../../server/adapter/machine/system-clock.ts';
import { Deliveries } from '../../server/timer/fire/deliveries.ts';
import { Worker } from '../../server/timer/fire/worker.ts';
import type { DueIndex } from '../../server/timer/index/due-index.ts';
import { startRedisIndex } from '../support/engine/due-index.ts';
import { plantedPiece, sabotagedIndex } from '../support/engine/sabotaged.ts';
import { holdAgainstModel } from './due-index-model.ts';

const url = inject('redisUrl');
const NOW_MS = 1_790_000_000_000;
/** A lost hint costs a second; one that came costs some milliseconds. */
const QUICK_MS = 500;
const LOST = 'timers were lost';
const never = new AbortController().signal;

/** Two nodes on the same keys, and ten timers handed off by the first. */
const twoNodes = async (plant?: (lua: string) => string) => {
  const options = { url, prefix: random.uniqueName(), shards: 1, ...(plant && { plant }) };
  const nodes = [await startRedisIndex(options), await startRedisIndex(options)] as const;
  const dispose = async (): Promise<void> => {
    for (const node of nodes) await node.dispose();
  };
  return { first: nodes[0].index, second: nodes[1].index, dispose };
};

const putTen = (index: DueIndex): Promise<boolean> =>
  index.orders.put(
    Array.from({ length: 10 }, (_, at) => ({ timerId: String(at + 1), owner: 'ann', fireAtMs: NOW_MS, revision: 1 })),
  );

/** A worker dies after it received; what does another one get? Throws when a timer is lost. */
const surviveDeadWorker = async (fault: (index: DueIndex) => DueIndex): Promise<void> => {
  const { first, second, dispose } = await twoNodes();
  try {
    await putTen(first);
    await first.handOffs.handOff(0, NOW_MS, 100);
    const accept = () => Promise.reject(new Error('killed'));
    const killed = fault(first);
    const dying = new Worker({
      index: killed,
      intake: { accept, meetsUnknownKinds: false },
      limit: 100,
      deliveries: new Deliveries({ index: killed, after: systemClock.after }),
    });
    await expect(dying.tick(never)).rejects.toThrow('killed');
    const left = await fault(second).queue.reclaim(0, 100);
    expect(
      left.flatMap(({ timers }) => timers),
      LOST,
    ).toHaveLength(10);
  } finally {
    await dispose();
  }
};

/** A node waits for deliveries, and for an earlier head, that another causes. Throws when it hears late. */
const hearOfOthers = async (plant?: (lua: string) => string): Promise<void> => {
  const { first, second, dispose } = await twoNodes(plant);
  try {
    await second.queue.receive(10, 0, never);
    const heard = new Promise<void>((resolve) => void second.handOffs.onEarlierHead(() => resolve()));
    const received = second.queue.receive(10, 60_000, never);
    const late = new Promise<never>((_, reject) => {
      systemClock.after(QUICK_MS, () => reject(new Error('nobody told')));
    });
    await putTen(first);
    await first.handOffs.handOff(0, NOW_MS, 100);
    await Promise.race([Promise.all([heard, received]), late]);
  } finally {
    await dispose();
  }
};

describe.skipIf(url === '')('a planted fault is found', () => {
  const fence =
    'if not present or ((tonumber(score) - tonumber(present)) * REVISIONS) % REVISIONS < REVISIONS / 2 then';
  const removalFence =
    'if not present or (revision - tonumber(present) % 1 * REVISIONS) % REVISIONS < REVISIONS / 2 then';

  it.each([
    ['a put without the fence against stale ones', fence, 'if true then'],
    ['a removal without its fence', removalFence, 'if true then'],
    ['swapped keys', `'ZADD', ARGV[1] .. owner, score, id`, `'ZADD', ARGV[1] .. id, score, owner`],
    ['a hand-off that forgets the owner’s order', `redis.call('ZREM', ARGV[4] .. owner, id)`, ''],
    ['a removal that forgets the owner’s order', `redis.call('ZREM', ARGV[1] .. owner, id)`, ''],
    [
      'a put that moves nothing in the shard’s order',
      `'ZADD', due, unpack(wanted)`,
      `'ZADD', due, 'NX', unpack(wanted)`,
    ],
    ['a hand-off that drops what it takes', `redis.call('XADD', stream, '*', unpack(fields))`, ''],
    ['a hand-off one millisecond early', `'(' .. ARGV[1]`, `'(' .. (ARGV[1] + 1)`],
  ])('by the model: %s', async (_name, piece, by) => {
    const { plant, isPlanted } = plantedPiece(piece, by);
    const make = () => startRedisIndex({ url, plant });
    const failed = holdAgainstModel({ runs: 2000, make }, { endOnFailure: true });
    // Not an error of the script.
    await expect(failed).rejects.toMatchObject({ cause: { message: expect.stringContaining(' is not ') } });
    expect(isPlanted()).toBe(true);
  });

  it('by a put into a generation that is over: a shard that takes it all the same', async () => {
    const { plant, isPlanted } = plantedPiece(`if redis.call('EXISTS', KEYS[2]) == 0 then return -1 end`, '');
    const { index, dispose } = await startRedisIndex({ url, plant });
    await index.marks.retire(index.inUse.number);
    expect(await putTen(index)).toBe(true);
    expect(isPlanted()).toBe(true);
    await dispose();
  });

  it('by the death of a worker: none where nothing is planted', () => surviveDeadWorker((index) => index));

  it('by the death of a worker: an ack before the commit', async () => {
    const early = (index: DueIndex): DueIndex =>
      sabotagedIndex(index, {
        queue: {
          receive: async (limit, waitMs, signal) => {
            const received = await index.queue.receive(limit, waitMs, signal);
            await index.queue.ack(received);
            return received;
          },
        },
      });
    await expect(surviveDeadWorker(early)).rejects.toThrow(LOST);
  });

  it('by the death of a worker: no reclaim', async () => {
    const without = (index: DueIndex): DueIndex => sabotagedIndex(index, { queue: { reclaim: async () => [] } });
    await expect(surviveDeadWorker(without)).rejects.toThrow(LOST);
  });

  it('by listening: none where nothing is planted', () => hearOfOthers());

  it.each([
    ['delivery', `redis.pcall('PUBLISH', ARGV[5], 'delivery ' .. ARGV[6])`],
    ['earlier head', `redis.pcall('PUBLISH', ARGV[2], 'head ' .. ARGV[3] .. ' ' .. after)`],
  ])('by listening: a wake-up that is lost, of a %s', async (_name, piece) => {
    const { plant, isPlanted } = plantedPiece(piece, '');
    await expect(hearOfOthers(plant)).rejects.toThrow('nobody told');
    expect(isPlanted()).toBe(true);
  });
});
