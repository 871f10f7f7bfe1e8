import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FiredTimer } from '../../../server/timer/model/timer-kind.ts';
import type { TimerStore } from '../../../server/timer/model/timer-store.ts';
import { sabotaged } from '../../support/engine/sabotaged.ts';
import { makeMemoryEngine, NOW_MS } from '../../support/engine/timer-engine.ts';

const MINUTE_MS = 60_000;
const EVERY_MS = 10 * MINUTE_MS;
const key = { kind: 'order', subject: 'a' };

class Down extends Error {}

/** The fault of the next transaction: none, before its commit, or after it, so that its outcome is unknown. */
const troubles = fc.constantFrom('none', 'none', 'none', 'before', 'behind', 'handler');
const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 45 * MINUTE_MS }), fc.array(troubles, { maxLength: 3 })), {
  minLength: 1,
  maxLength: 30,
});

const history = async (missed: 'all' | 'last' | 'none', all: readonly (readonly [number, readonly string[]])[]) => {
  const coming: string[] = [];
  let committed: readonly FiredTimer[] = [];
  const done: FiredTimer[] = [];
  /** Noted, not thrown: what a handler throws is one more attempt. */
  const early: FiredTimer[] = [];
  const under = await makeMemoryEngine((store) =>
    sabotaged<TimerStore>(store, {
      isWorldFault: (error) => error instanceof Down,
      fire: async (seen, work) => {
        const trouble = coming.shift();
        if (trouble === 'before') throw new Down();
        if (trouble === 'handler') coming.unshift('throw');
        committed = [];
        const locked = await store.fire(seen, work);
        done.push(...committed);
        committed = [];
        if (trouble === 'behind') throw new Down();
        return locked;
      },
    }),
  );
  under.engine.register({
    ...{ kind: 'order', misfire: { missed }, retryDelaysMs: Array(99).fill(MINUTE_MS) },
    fire: async (timers, _tx, nowMs) => {
      if (coming[0] === 'throw') {
        coming.shift();
        throw new Error('not now');
      }
      early.push(...timers.filter(({ dueAtMs }) => dueAtMs > nowMs));
      committed = timers;
      return undefined;
    },
  });
  await under.timers.schedule([{ ...key, owner: 'ann', dueAtMs: NOW_MS, every: { ms: EVERY_MS } }]);
  for (const [ms, wrong] of all) {
    coming.splice(0, coming.length, ...wrong);
    under.clock.advance(ms);
    await under.engine.runDue();
  }
  coming.length = 0;
  // A turn that a fault delayed comes again within a minute, through the index or the sweeper.
  for (let rest = 0; rest < 3; rest += 1) {
    under.clock.advance(MINUTE_MS);
    await under.engine.sweep();
    await under.engine.runDue();
  }
  const [timer] = await under.timers.find([key]);
  if (timer === undefined) throw new Error('no timer');
  return { done, early, timer, nowMs: under.clock.nowMs() };
};

it.each(['all', 'last', 'none'] as const)(
  'each turn is had once, none early and none lost, whatever crashes or is away: missed turns %s',
  async (missed) => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { done, early, timer, nowMs } = await history(missed, all);
        expect(early).toEqual([]);
        const turns = done.map(({ turn }) => turn);
        expect(turns).toEqual([...new Set(turns)].toSorted((left, right) => left - right));
        for (const { turn, dueAtMs } of [...done, timer]) expect(dueAtMs).toBe(NOW_MS + (turn - 1) * EVERY_MS);
        expect(timer.state).toBe('scheduled');
        expect(timer.dueAtMs).toBeGreaterThan(nowMs - EVERY_MS);
        const told = done.reduce((sum, one) => sum + 1 + one.missed, 0);
        if (missed === 'none') expect(told).toBeLessThan(timer.turn);
        else expect(told).toBe(timer.turn - 1);
        if (missed === 'all') expect(done.every((one) => one.missed === 0)).toBe(true);
      }),
      { numRuns: 60 },
    );
  },
);
