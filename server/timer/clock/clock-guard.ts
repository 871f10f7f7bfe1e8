import type { Clock } from '../../runtime/clock.ts';
import type { TrustedTime } from './trusted-time.ts';

/** The database's clock has jumped if it differs by more than this from even passing of time. */
export const JUMP_MS = 2000;
/** No two clocks run alike, and NTP slews a clock at most half as fast as this. Milliseconds per millisecond. */
const DRIFT = 0.001;

/** `sinceMs` is on the held time. `byMs`: how far the database's clock is ahead of held time; negative when it went back. */
export type ClockState =
  | { readonly isHeld: false }
  | { readonly isHeld: true; readonly sinceMs: number; readonly byMs: number; readonly direction: 'ahead' | 'back' };

/** The state when a reading was requested. The database's clock was read later than that. */
interface Mark {
  readonly sentAtMs: number;
  readonly latestMs: number;
  readonly turn: number;
}

/**
 * Follows the database's clock while that clock passes as evenly as this process's monotonic clock. After a jump, time
 * is held: it goes on from its last value at the speed of the slower of the two clocks, until the database's clock is
 * back in line or an operator calls `accept`.
 *
 * A reply may be delayed, so a reading may belong to any instant between request and reply: a difference that a delay
 * can explain is no jump. With a true monotonic clock, trusted time never leads even passing by more than two seconds
 * plus a thousandth of the time since it was accepted.
 */
export class ClockGuard implements TrustedTime {
  readonly #monotonicMs: () => number;
  /** Upper bound of trusted time minus monotonic time. Falls at once, rises only by the drift. Undefined: no reading yet. */
  #lineMs: number | undefined;
  #lineAtMs = 0;
  /** Lower bound of the same, as of the reply of a reading. Held time goes on from here, so it is never early. */
  #leastMs = Number.NEGATIVE_INFINITY;
  #latestMs = Number.NEGATIVE_INFINITY;
  /** While time is held: what is subtracted from the database's time. */
  #aheadMs = 0;
  /** The time lost by holding, added again when the database's clock is back in line. */
  #lostMs = 0;
  #hold: { readonly sinceMs: number; byMs: number } | undefined;
  /** Counts holds and their ends: a reading that was requested before one decides nothing. */
  #turn = 0;

  constructor({ monotonicMs }: Pick<Clock, 'monotonicMs'>) {
    this.#monotonicMs = monotonicMs;
  }

  get state(): ClockState {
    if (this.#hold === undefined) return { isHeld: false };
    return { isHeld: true, ...this.#hold, direction: this.#hold.byMs < 0 ? 'back' : 'ahead' };
  }

  get heldMs(): number | undefined {
    if (this.#hold === undefined) return undefined;
    return Math.floor(Math.max(this.#leastMs + this.#monotonicMs(), this.#latestMs));
  }

  reading(): (databaseMs: number) => number {
    const mark = { sentAtMs: this.#monotonicMs(), latestMs: this.#latestMs, turn: this.#turn };
    return (databaseMs) => this.#take(databaseMs, mark);
  }

  /** Trusts the database's clock from the next reading on, whatever it shows. */
  accept(): void {
    this.#endHold();
    this.#lineMs = undefined;
    this.#latestMs = Number.NEGATIVE_INFINITY;
  }

  /** Goes on at `nowMs`, a time that another process trusted while the database's clock showed `databaseMs`. */
  resume({ nowMs, databaseMs }: { readonly nowMs: number; readonly databaseMs: number }): void {
    this.accept();
    const lineMs = nowMs - this.#monotonicMs();
    this.#moved(nowMs, lineMs, lineMs);
    this.#holdAt(nowMs, databaseMs);
  }

  #take(databaseMs: number, { sentAtMs, latestMs, turn }: Mark): number {
    const receivedAtMs = this.#monotonicMs();
    const isCurrent = turn === this.#turn;
    if (this.#lineMs === undefined) {
      // Sent before `accept`: it does not show the clock that is accepted.
      if (!isCurrent) return Math.floor(databaseMs);
      return this.#moved(databaseMs, databaseMs - sentAtMs, databaseMs - receivedAtMs);
    }
    const driftMs = DRIFT * (receivedAtMs - this.#lineAtMs);
    const lineMs = this.#lineMs + driftMs;
    const mostMs = Math.max(this.#lineMs + receivedAtMs, this.#latestMs);
    const isAhead = (ms: number, allowedMs: number): boolean => ms - receivedAtMs > lineMs + allowedMs + JUMP_MS;
    const isBack = (ms: number, beforeMs: number): boolean => isCurrent && ms < beforeMs - JUMP_MS;
    const withoutJumpMs = databaseMs - this.#aheadMs;
    // At most this much past the last reading, because the monotonic clock may be wrong as well.
    const soonMs = latestMs + JUMP_MS;
    const expectedMs = this.#hold ? Math.max(latestMs, Math.min(withoutJumpMs, mostMs, soonMs)) : latestMs;
    if (!isAhead(databaseMs, this.#lostMs) && !isBack(databaseMs, expectedMs)) {
      const ownLineMs = Math.min(lineMs + this.#lostMs, databaseMs - sentAtMs);
      if (isCurrent && this.#hold) this.#endHold();
      if (this.#hold) return this.#moved(databaseMs, lineMs, this.#leastMs);
      // The lower bound is above the reading: the clock went back a little.
      const isOver = this.#leastMs - driftMs > databaseMs - sentAtMs;
      const leastMs = Math.max(isOver ? Number.NEGATIVE_INFINITY : this.#leastMs - driftMs, databaseMs - receivedAtMs);
      return this.#moved(databaseMs, ownLineMs, leastMs);
    }
    const isJump = isCurrent && (!this.#hold || isAhead(withoutJumpMs, 0) || isBack(withoutJumpMs, latestMs));
    if (isJump) this.#holdAt(Math.min(mostMs, this.#latestMs + JUMP_MS), databaseMs);
    const nowMs = Math.min(databaseMs - this.#aheadMs, mostMs);
    const ownLineMs = Math.min(lineMs, nowMs - sentAtMs);
    if (isJump) this.#lostMs += lineMs - ownLineMs;
    if (this.#hold) this.#hold.byMs = Math.round(databaseMs - nowMs);
    const leastMs = Math.min(this.#leastMs, ownLineMs);
    return this.#moved(Math.min(nowMs, Math.max(leastMs + receivedAtMs, this.#latestMs)), ownLineMs, leastMs);
  }

  #moved(nowMs: number, lineMs: number, leastMs: number): number {
    this.#lineMs = lineMs;
    this.#lineAtMs = this.#monotonicMs();
    this.#leastMs = leastMs;
    this.#latestMs = Math.max(this.#latestMs, nowMs);
    return Math.floor(nowMs);
  }

  /** The last trusted time stays a lower bound: otherwise each end of a hold would allow another two seconds back. */
  #endHold(): void {
    this.#turn += 1;
    this.#aheadMs = 0;
    this.#lostMs = 0;
    this.#hold = undefined;
  }

  #holdAt(nowMs: number, databaseMs: number): void {
    this.#turn += 1;
    this.#aheadMs = databaseMs - nowMs;
    this.#hold ??= { sinceMs: Math.floor(nowMs), byMs: Math.round(this.#aheadMs) };
  }
}
