import type { Timer } from '../model/timer.ts';
import type { DerivedKind, FailedOwner } from '../model/timer-kind.ts';
import { type FailedHome, failHomes } from './failure.ts';
import type { FiringTools } from './firing-tools.ts';
import type { LaneResult } from './lane.ts';
import { requeue, requeueAfterFault } from './requeue.ts';

/**
 * Fires timers of things: settles their owners, which moves the timer rows. An owner that is locked or fails delays no
 * other owner.
 */
export const settleOwners = async (
  tools: FiringTools,
  kind: DerivedKind,
  timers: readonly Timer[],
): Promise<LaneResult> => {
  const { store } = tools;
  const byOwner = Map.groupBy(timers, ({ owner }) => owner);
  const { unsettled, moved } = await kind.settle([...byOwner.keys()]);
  const timersOf = (some: readonly FailedOwner[]): readonly Timer[] =>
    some.flatMap(({ owner }) => byOwner.get(owner) ?? []);
  const locked = timersOf(unsettled.filter(({ isLocked }) => isLocked));
  const faults = unsettled.filter(({ isLocked, error }) => !isLocked && store.isWorldFault(error));
  const away = timersOf(faults);
  const failures = unsettled
    .filter((one) => !one.isLocked && !faults.includes(one))
    .map((one) => ({ timers: timersOf([one]), error: one.error }));
  for (const { owner } of unsettled) byOwner.delete(owner);
  const stuck = await settled(tools, kind, { timers: [...byOwner.values()].flat(), moved });
  return {
    entries: [
      ...requeue(tools, locked, { reason: 'locked' }),
      ...(away.length > 0 ? requeueAfterFault(tools, away, faults[0]?.error) : []),
      ...(await failHomes(tools, [...failures, ...stuck])),
    ],
    finished: timers.length - locked.length - away.length,
  };
};

/**
 * Reports the timers of settled owners as fired. A row that settling did not change would stay due forever, so its
 * owner counts as failed. Only rows that settling did not move itself are read again.
 */
const settled = async (
  { store, observe, storeClock }: FiringTools,
  { kind }: DerivedKind,
  { timers, moved }: { readonly timers: readonly Timer[]; readonly moved: ReadonlySet<string> },
): Promise<readonly FailedHome[]> => {
  const unmoved = timers.filter(({ id }) => !moved.has(id));
  const still = unmoved.length > 0 ? (await store.stillDue(unmoved)).timers : [];
  const left = new Set(still.map(({ id }) => id));
  const fired = timers.filter(({ id }) => !left.has(id));
  if (fired.length > 0) observe({ type: 'fired', kind, timers: fired, nowMs: Math.floor(storeClock.nowMs()) });
  const failing = new Set(still.map(({ owner }) => owner));
  const mended = fired.filter(({ attempt, owner }) => attempt > 0 && !failing.has(owner));
  if (mended.length > 0) await store.release([...new Set(mended.map(({ owner }) => owner))]);
  const error = new Error('still due after its owner was settled');
  return [...Map.groupBy(still, ({ owner }) => owner).values()].map((own) => ({ timers: own, error }));
};
