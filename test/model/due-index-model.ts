import fc from 'fast-check';
import { it } from 'vitest';
import type { DueIndex } from '../../server/timer/index/due-index.ts';
import { same } from '../../testing/claims.ts';

const START_MS = 1_790_000_000_000;

const timerId = fc.integer({ min: 1, max: 12 });
const delayMs = fc.oneof(fc.integer({ min: -5, max: 20 }), fc.integer({ min: 0, max: 100_000 }));

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('put' as const), timerId, delayMs }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('stale put' as const), timerId, delayMs }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('remove' as const), timerId }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('stale remove' as const), timerId }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('pass' as const), byMs: fc.integer({ min: 0, max: 5000 }) }) },
  // Off by one at the due time is the likeliest fault.
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('pass to head' as const), byMs: fc.integer({ min: -1, max: 0 }) }),
  },
);

interface Known {
  readonly fireAtMs: number;
  readonly revision: number;
}

/** The expected entries of the index: a map. */
class Model {
  readonly entries = new Map<string, Known>();
  readonly revisions = new Map<string, number>();
  nowMs = START_MS;

  /** Revisions go on from a start near the end of the fence's circle. */
  nextRevision(id: string): number {
    const revision = (this.revisions.get(id) ?? 2045) + 1;
    this.revisions.set(id, revision);
    return revision;
  }

  untilHeadMs(): number {
    const times = [...this.entries.values()].map(({ fireAtMs }) => fireAtMs);
    return times.length === 0 ? 0 : Math.min(...times) - this.nowMs;
  }

  ownedBy(owner: string): [string, Known][] {
    return [...this.entries].filter(([id]) => ownerOf(id) === owner);
  }
}

const owners = ['ann', 'bob', 'guest:1'];
const ownerOf = (id: string): string => owners[Number(id) % owners.length] ?? '';

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Sequences of steps; the same for every index with the same seed. */
export const stepsArbitrary = fc.array(step, { maxLength: 40 });

/** Plays them on an empty index; throws where it is not what the model is. */
export const playBesideModel = async (index: DueIndex, steps: readonly Step[]): Promise<void> => {
  const model = new Model();
  for (const each of steps) {
    await apply(index, model, each);
    await agree(index, model);
  }
};

const apply = async (index: DueIndex, model: Model, each: Step): Promise<void> => {
  if (each.type === 'pass') return passTime(index, model, each.byMs);
  if (each.type === 'pass to head') return passTime(index, model, Math.max(0, model.untilHeadMs() + each.byMs));
  const id = String(each.timerId);
  const known = model.entries.get(id);
  const key = { timerId: id, owner: ownerOf(id) };
  if (each.type === 'put') {
    const entry = { fireAtMs: model.nowMs + each.delayMs, revision: model.nextRevision(id) };
    await index.orders.put([{ ...key, ...entry }]);
    model.entries.set(id, entry);
  } else if (each.type === 'remove') {
    await index.orders.remove([{ ...key, revision: model.nextRevision(id) }]);
    model.entries.delete(id);
  } else if (known !== undefined && each.type === 'stale put') {
    await index.orders.put([{ ...key, fireAtMs: model.nowMs + each.delayMs, revision: known.revision - 1 }]);
  } else if (known !== undefined && each.type === 'stale remove') {
    await index.orders.remove([{ ...key, revision: known.revision - 1 }]);
  }
};

const passTime = async (index: DueIndex, model: Model, byMs: number): Promise<void> => {
  model.nowMs += byMs;
  const due = [...model.entries].filter(([, { fireAtMs }]) => fireAtMs <= model.nowMs);
  const fireAtMs = new Map(due.map(([id, known]) => [id, known.fireAtMs]));
  const taken = await popDue(index, model.nowMs);
  same([...taken].sort(), due.map(([id]) => id).sort());
  for (const owner of owners) {
    const times = taken.filter((id) => ownerOf(id) === owner).map((id) => fireAtMs.get(id) ?? 0);
    same(
      times,
      [...times].sort((left, right) => left - right),
    );
  }
  for (const [id] of due) model.entries.delete(id);
};

const agree = async (index: DueIndex, model: Model): Promise<void> => {
  const counts = await index.orders.counts();
  same(
    counts.reduce((sum, count) => sum + count, 0),
    model.entries.size,
  );
  for (const owner of owners) {
    const listed = await index.orders.listByOwner(owner);
    same(
      new Map(listed.map((entry) => [entry.timerId, entry.fireAtMs])),
      new Map(model.ownedBy(owner).map(([id, { fireAtMs }]) => [id, fireAtMs])),
    );
    const times = listed.map(({ fireAtMs }) => fireAtMs);
    same(
      times,
      [...times].sort((left, right) => left - right),
    );
  }
};

/** Hands all due timers off and acks them; their ids in the order of the hand-off, shard by shard. */
export const popDue = async (index: DueIndex, nowMs: number): Promise<string[]> => {
  for (let shard = 0; shard < index.inUse.shards; shard += 1) {
    while ((await index.handOffs.handOff(shard, nowMs, 100)).moved > 0);
  }
  const taken: string[] = [];
  for (;;) {
    const deliveries = await index.queue.receive(10_000, 0, never);
    if (deliveries.length === 0) return taken;
    taken.push(...deliveries.flatMap(({ timers }) => timers.map(({ timerId }) => timerId)));
    await index.queue.ack(deliveries);
  }
};

const never = new AbortController().signal;

/** Empty, and used by this test alone. */
export interface IndexUnderTest {
  readonly index: DueIndex;
  dispose(): Promise<void>;
}

export interface Tries {
  readonly runs: number;
  readonly make: () => Promise<IndexUnderTest>;
}

/** Holds an index against a plain map, over random sequences of puts, moves, removals, stale ones and hand-offs. Throws a counterexample. */
export const holdAgainstModel = ({ runs, make }: Tries, options: { endOnFailure?: boolean } = {}): Promise<void> =>
  fc.assert(
    fc.asyncProperty(stepsArbitrary, async (steps) => {
      const { index, dispose } = await make();
      await playBesideModel(index, steps).finally(dispose);
    }),
    { numRuns: runs, ...options },
  );

export const dueIndexModel = (name: string, tries: Parameters<typeof holdAgainstModel>[0]): void => {
  it(`${name}: after any sequence both orders hold each timer at its newest time, and yield it then`, async () => {
    await holdAgainstModel(tries);
  }, 120_000);
};
