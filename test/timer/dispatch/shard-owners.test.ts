import { expect, it } from 'vitest';
import { loneNode } from '../../../server/timer/dispatch/live-nodes.ts';
import { ShardOwners } from '../../../server/timer/dispatch/shard-owners.ts';

const SHARDS = 16;

const ownersAmong = (live: Set<string>, self: string) => {
  const gained: number[] = [];
  const nodes = {
    self,
    heartbeat: async () => {
      if (live.size === 0) throw new Error('nobody can tell');
      return [...live.add(self)];
    },
    list: async () => [...live],
    leave: async () => void live.delete(self),
  };
  const owners = new ShardOwners({ nodes, shards: SHARDS, onGained: (shard) => gained.push(shard) });
  const owned = () => Array.from({ length: SHARDS }, (_, shard) => shard).filter((shard) => owners.owns(shard));
  return { owners, gained, owned };
};

it('owns every shard where it is alone', async () => {
  const owners = new ShardOwners({ nodes: loneNode, shards: SHARDS, onGained: () => undefined });
  await owners.tick();
  for (let shard = 0; shard < SHARDS; shard += 1) expect(owners.owns(shard)).toBe(true);
});

it('shares the shards without rest or overlap, once the nodes have seen each other', async () => {
  const live = new Set(['first', 'second']);
  const [first, second] = [ownersAmong(live, 'first'), ownersAmong(live, 'second')];
  for (const { owners } of [first, second]) await owners.tick();
  const all = [...first.owned(), ...second.owned()].sort((left, right) => left - right);
  expect(all).toEqual(Array.from({ length: SHARDS }, (_, shard) => shard));
});

it('tells which shards it gained from one that left', async () => {
  const live = new Set(['first', 'second']);
  const [first, second] = [ownersAmong(live, 'first'), ownersAmong(live, 'second')];
  for (const { owners } of [first, second]) await owners.tick();
  const left = first.owned();
  await first.owners.leave();
  expect(first.owned()).toEqual([]);
  second.gained.length = 0;
  await second.owners.tick();
  expect(second.gained).toEqual(left);
});

it('keeps what it had while nobody can tell who lives', async () => {
  const live = new Set(['first']);
  const { owners, owned } = ownersAmong(live, 'first');
  await owners.tick();
  live.clear();
  await expect(owners.tick()).rejects.toThrow('nobody can tell');
  expect(owned()).toHaveLength(SHARDS);
});

it('counts the shards that are its own and the nodes that it saw, and none after it left', async () => {
  const live = new Set(['first', 'second']);
  const { owners, owned } = ownersAmong(live, 'first');
  expect([owners.held, owners.live]).toEqual([0, 0]);
  await owners.tick();
  expect([owners.held, owners.live]).toEqual([owned().length, 2]);
  await owners.leave();
  expect([owners.held, owners.live]).toEqual([0, 0]);
});
