import { lastTurnBy, type Recurrence, type TimerTurn, turnAfter } from './recurrence.ts';

/** The rule for a late timer. An outage, a pause or an absent process may have made it late. */
export interface MisfirePolicy {
  /** A timer whose first attempt begins later than this after its fire time is a misfire. Default 60 s. */
  readonly afterMs?: number | undefined;
  /**
   * `fire` (default): it fires as usual. `skip`: no handler is called; the timer completes with a result that says so,
   * or comes again by its recurrence. `hand`: the handler is called with `timer.isMisfire`. `dead`: the timer is dead.
   */
  readonly late?: 'fire' | 'skip' | 'hand' | 'dead' | undefined;
  /**
   * Which turns of a recurrence that came due meanwhile fire. `all`: one after another. `last` (default): only the last
   * one; `timer.missed` counts those before it. `none`: no turn, except one that is in time.
   */
  readonly missed?: 'all' | 'last' | 'none' | undefined;
}

/** The judgement of a late turn. It stays on the row for all attempts of that turn, until the timer is moved. */
export interface Lateness extends TimerTurn {
  readonly lateMs: number;
  /** Earlier turns that did not fire. */
  readonly missed: number;
  /** Whether the handler sees a misfire. */
  readonly isMisfire: boolean;
}

/** A timer's due time and the time at which it was to be tried. */
export interface LateTurn extends TimerTurn {
  readonly fireAtMs: number;
  readonly recurrence: Recurrence | undefined;
}

export type TurnJudgement =
  /** This turn fires. */
  | { readonly verdict: 'fire' | 'dead'; readonly turn: TimerTurn; readonly lateness: Lateness }
  /** No turn before `next` fires; undefined: the recurrence has ended. */
  | { readonly verdict: 'skip'; readonly next: TimerTurn | undefined; readonly lateness: Lateness };

const AFTER_MS = 60_000;

/** A stored judgement does not count if its turn is over or was moved since. */
export const latenessOf = (kept: Lateness | null | undefined, { turn, dueAtMs }: TimerTurn): Lateness | undefined =>
  kept?.turn === turn && kept.dueAtMs === dueAtMs ? kept : undefined;

/**
 * Judges a turn at its first attempt. Undefined: it fires as it is. Lateness counts from the time at which the turn was
 * to be tried, so a timer that our own lane deferred is no misfire.
 */
export const judgeTurn = (due: LateTurn, policy: MisfirePolicy, nowMs: number): TurnJudgement | undefined => {
  const { afterMs = AFTER_MS, late = 'fire', missed: wanted = 'last' } = policy;
  const { recurrence } = due;
  if (nowMs - due.fireAtMs <= afterMs) return undefined;
  const turn = turnToFire(due, wanted, nowMs);
  const missed = turn.turn - due.turn;
  // The turn may be due later than its fire time: `fireNow` sets an earlier one.
  const sinceMs = missed === 0 ? Math.min(turn.dueAtMs, due.fireAtMs) : turn.dueAtMs;
  const lateness: Lateness = { ...turn, lateMs: nowMs - sinceMs, missed, isMisfire: false };
  if (missed > 0 && lateness.lateMs <= afterMs) return { verdict: 'fire', turn, lateness };
  const misfire: Lateness = { ...lateness, isMisfire: true };
  switch (recurrence && wanted === 'none' ? 'skip' : late) {
    case 'fire':
      return missed === 0 ? undefined : { verdict: 'fire', turn, lateness };
    case 'hand':
      return { verdict: 'fire', turn, lateness: misfire };
    case 'dead':
      return { verdict: 'dead', turn, lateness: misfire };
    case 'skip': {
      if (!recurrence) return { verdict: 'skip', next: undefined, lateness: misfire };
      const last = lastTurnBy(recurrence, due, nowMs - afterMs - 1);
      return { verdict: 'skip', next: turnAfter(recurrence, last), lateness: misfire };
    }
  }
};

const turnToFire = (
  { turn, dueAtMs, recurrence }: LateTurn,
  wanted: NonNullable<MisfirePolicy['missed']>,
  nowMs: number,
): TimerTurn => {
  const first = { turn, dueAtMs };
  return recurrence && wanted !== 'all' ? lastTurnBy(recurrence, first, nowMs) : first;
};
