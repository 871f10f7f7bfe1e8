import { hash32 } from '../../runtime/hash32.ts';

/**
 * The node that a shard belongs to: the one whose hash with the shard is highest. Every node computes the same from
 * the same names, and a node that comes or goes moves only the shards that it gets or had.
 */
export const rendezvous = (shard: number, nodes: readonly string[]): string | undefined => {
  let first: string | undefined;
  let highest = -1;
  for (const node of [...nodes].sort()) {
    const weight = hash32(`${shard} ${node}`);
    if (weight > highest) [first, highest] = [node, weight];
  }
  return first;
};
