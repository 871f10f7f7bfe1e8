import { BATCH, type Costs, type Measured, metered } from './metered.ts';

const HOUR_MS = 3_600_000;

/**
 * What the timers of things cost when each completes and is due again: a row that moves, or, before version 15, one that
 * is finished and pruned later, and a new one.
 */
export const measureChain = (measured: Measured): Promise<Costs> =>
  metered(measured, async ({ store, phase, analyze }) => {
    const { count } = measured;
    const nowMs = Date.now();
    const timers = (from: number, turn: number) =>
      Array.from({ length: Math.min(BATCH, count - from) }, (_, place) => {
        // Another order than that in which they began, as players' timers come due.
        const at = ((from + place) * 15_485_863) % count;
        const owner = `player-${at}`;
        return {
          kind: 'bench',
          subject: `${owner}~pet`,
          owner,
          dueAtMs: nowMs + turn * HOUR_MS + ((at * 7919) % count) * 100,
        };
      });
    // The stores of before know `schedule` and `complete`, and no `put`.
    const change = (next: ReturnType<typeof timers>, complete: typeof next = []) =>
      store.transaction((tx) => store.changeDerived(tx, { put: next, ...{ schedule: next, complete } }, nowMs));
    // Of an empty table the planner of before took the wrong index.
    await change(timers(0, 1));
    await analyze();
    await phase('begin', (from) => change(timers(from, 1)));
    await analyze();
    await phase('completion of a chain', (from) => change(timers(from, 2), timers(from, 1)));
    await phase('the next one', (from) => change(timers(from, 3), timers(from, 2)));
    await phase('prune what they left', async () => {
      await store.prune({ fromMs: 0, beforeMs: nowMs + HOUR_MS, kinds: [], isOfOthers: true, limit: 2 * BATCH });
    });
  });
