import { Redis } from 'ioredis';
import { random } from '../../../server/adapter/machine/random.ts';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import { beginGeneration } from '../../../test/support/engine/due-index.ts';
import { redisBytes } from '../../harness/meter.ts';
import type { Row, Sample } from '../../harness/row.ts';
import { openRedisIndex } from '../../timers/due-index.ts';
import { farTimes } from '../../timers/due-times.ts';

const ONE = '1 timer an owner';
const TEN = '10 timers an owner';
const GUESTS = '10 timers an owner, named as guests are';
/** A typical id after a while. */
const FIRST_ID = 10_000_000;

/** The bytes of a timer in Redis. */
export const bytes: Row = {
  name: 'bytes',
  about:
    "Memory of Redis a waiting timer, both orders (the shard's and the owner's) and the fence included: owners with names of 16 characters, and of 42.",
  rounds: 1,
  figures: [{ name: 'bytes', unit: 'B' }],
  targets: [
    { of: ONE, figure: 'bytes', atMost: 350 },
    { of: TEN, figure: 'bytes', atMost: 200 },
  ],
  quick: { rounds: 1, guarded: [ONE, TEN, GUESTS].map((of) => ({ of, figure: 'bytes', better: 'less' })) },
  prepare: async ({ stores, isQuick }) => {
    const redisUrl = await stores.redisUrl();
    const count = isQuick ? 20_000 : 200_000;
    const measure = (timersAnOwner: number, nameOf: (owner: number) => string) => async (): Promise<Sample> => {
      const admin = new Redis(redisUrl);
      await admin.flushall();
      const before = await redisBytes(admin);
      const open = await openRedisIndex(redisUrl);
      await beginGeneration(open.index, { number: 1, shards: open.index.inUse.shards });
      await fill(open.index, count, (at) => nameOf(Math.floor(at / timersAnOwner)));
      open.close();
      const used = (await redisBytes(admin)) - before;
      admin.disconnect();
      return { bytes: used / count };
    };
    const short = (owner: number): string => `player-${String(owner).padStart(9, '0')}`;
    const guests = new Map<number, string>();
    const guest = (owner: number): string => {
      const name = guests.get(owner) ?? `guest:${random.uniqueName()}`;
      guests.set(owner, name);
      return name;
    };
    return {
      contenders: [
        { name: ONE, measure: measure(1, short) },
        { name: TEN, measure: measure(10, short) },
        { name: GUESTS, measure: measure(10, guest) },
      ],
    };
  },
};

const fill = async (index: DueIndex, count: number, ownerOf: (at: number) => string): Promise<void> => {
  const times = farTimes(count);
  for (let from = 0; from < count; from += 5000) {
    const part = times.slice(from, from + 5000);
    await index.orders.put(
      part.map((fireAtMs, at) => ({
        timerId: String(FIRST_ID + from + at),
        owner: ownerOf(from + at),
        fireAtMs,
        revision: 1,
      })),
    );
  }
};
