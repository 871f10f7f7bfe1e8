import { lastTurnBy, type Recurrence, type TimerTurn, turnAfter } from './recurrence.ts';

/** What becomes of a timer that comes late, by the fault of whatever: an outage, a pause, a process that was away. */
export interface MisfirePolicy {
  /** A timer that is later than this when it is taken is a misfire. Default 60 s. */
  readonly afterMs?: number | undefined;
  /**
   * `fire` (default): nothing. `skip`: its handler is not called; the timer is completed with a result that says so, or comes
   * again by its recurrence. `hand`: the handler is called and told, `timer.isMisfire`. `dead`: the timer is dead.
   */
  readonly late?: 'fire' | 'skip' | 'hand' | 'dead' | undefined;
  /**
   * Of the turns of a recurrence that came due meanwhile: `all` fire, one after the other; the `last` one does (default), and
   * `timer.missed` counts those before it; `none` does, unless it is in time.
   */
  readonly missed?: 'all' | 'last' | 'none' | undefined;
}

/** What was found when a turn was taken late; kept on the row through all attempts of that turn, until it is moved. */
export interface Lateness extends TimerTurn {
  readonly lateMs: number;
  /** Turns before this one that nobody fired. */
  readonly missed: number;
  /** Whether the handler is told of a misfire. */
  readonly isMisfire: boolean;
}

/** The due time that a timer has, and when it was to be tried. */
export interface LateTurn extends TimerTurn {
  readonly fireAtMs: number;
  readonly recurrence: Recurrence | undefined;
}

export type TurnJudgement =
  /** This turn fires. */
  | { readonly verdict: 'fire' | 'dead'; readonly turn: TimerTurn; readonly lateness: Lateness }
  /** No turn before `next` fires; undefined: none at all any more. */
  | { readonly verdict: 'skip'; readonly next: TimerTurn | undefined; readonly lateness: Lateness };

const AFTER_MS = 60_000;

/** What a row keeps may be of a turn that is over, or was moved since. */
export const latenessOf = (kept: Lateness | null | undefined, { turn, dueAtMs }: TimerTurn): Lateness | undefined =>
  kept?.turn === turn && kept.dueAtMs === dueAtMs ? kept : undefined;

/**
 * Judges a turn at its first attempt. Undefined: it fires as it is. Lateness counts from when the turn was to be tried, so
 * that a timer which our own lane deferred is no misfire.
 */
export const judgeTurn = (due: LateTurn, policy: MisfirePolicy, nowMs: number): TurnJudgement | undefined => {
  const { afterMs = AFTER_MS, late = 'fire', missed: wanted = 'last' } = policy;
  const { recurrence } = due;
  if (nowMs - due.fireAtMs <= afterMs) return undefined;
  const turn = turnToFire(due, wanted, nowMs);
  const missed = turn.turn - due.turn;
  // Its own turn may be due later, where it was to fire before.
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
