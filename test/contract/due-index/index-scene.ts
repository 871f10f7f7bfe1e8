import { afterEach } from 'vitest';
import type { DueIndex } from '../../../server/timer/index/due-index.ts';
import type { IndexEntry } from '../../../server/timer/model/index-entry.ts';
import type { IndexUnderTest } from '../../model/due-index-model.ts';

export const NOW_MS = 1_790_000_000_000;
export const HOUR_MS = 3_600_000;
export const never = new AbortController().signal;

export type MakeIndex = () => Promise<IndexUnderTest>;

/** Makes indexes for the tests of a suite, each disposed of after its test. */
export const indexMaker = (make: MakeIndex): (() => Promise<DueIndex>) => {
  const disposals: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const dispose of disposals.splice(0)) await dispose();
  });
  return async () => {
    const { index, dispose } = await make();
    disposals.push(dispose);
    return index;
  };
};

export const entry = (
  timerId: number,
  fireAtMs: number,
  revision = 1,
  owner = `player-${timerId % 3}`,
): IndexEntry => ({ timerId: String(timerId), owner, fireAtMs, revision });

export const nextFireAtMs = async (index: DueIndex): Promise<number | undefined> => {
  const heads = await Promise.all(
    Array.from({ length: index.inUse.shards }, (_, shard) => index.handOffs.handOff(shard, NOW_MS - HOUR_MS, 1)),
  );
  const known = heads.flatMap((head) => head.nextFireAtMs ?? []);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** Of every shard what is due at `NOW_MS`. */
export const handOffAll = async ({ inUse, handOffs }: DueIndex): Promise<void> => {
  for (let shard = 0; shard < inUse.shards; shard += 1) await handOffs.handOff(shard, NOW_MS, 10);
};

export const oldestOf = (ages: readonly number[]): number => Math.max(0, ...ages);

/** For each shard an owner with timers in it. */
export const ownersOfEachShard = ({ inUse }: DueIndex): readonly string[] => {
  const owners = new Map<number, string>();
  for (let at = 0; owners.size < inUse.shards; at += 1) owners.set(inUse.shardOf(`owner-${at}`), `owner-${at}`);
  return Array.from({ length: inUse.shards }, (_, shard) => owners.get(shard) ?? '');
};
