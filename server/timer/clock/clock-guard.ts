import type { Clock } from '../../runtime/clock.ts';
import type { TrustedTime } from './trusted-time.ts';

/** The database's clock may differ so much from the even passing of time before it has jumped. */
export const JUMP_MS = 2000;
/** No two clocks run alike, and those that differ are steered: NTP by half of this at most. Milliseconds in one. */
const DRIFT = 0.001;

/** `sinceMs` is on the held time, `byMs` what the database shows beyond it: negative when it went back. */
export type ClockState =
  | { readonly isHeld: false }
  | { readonly isHeld: true; readonly sinceMs: number; readonly byMs: number; readonly direction: 'ahead' | 'back' };

/** As it was when a reading was asked for. The database's clock was read later than that. */
interface Mark {
  readonly sentAtMs: number;
  readonly latestMs: number;
  readonly turn: number;
}

/**
 * Takes the time from the database's clock as long as that passes as evenly as this process' monotonic clock. After a
 * jump time is held: it goes on from where it was, as fast as the slower of the two, until the database's clock is
 * back in line or somebody says `accept`.
 *
 * A reply may be late by any delay, so a reading counts from when it was asked for to when it came: what could be
 * a delay is no jump. With a true monotonic clock the time is never more than two seconds, and a thousandth of what
 * has passed since it was accepted, beyond the even passing of time.
 */
export class ClockGuard implements TrustedTime {
  readonly #monotonicMs: () => number;
  /** Trusted time minus monotonic time, at most. Falls at once, rises by the drift alone. Undefined: nothing known yet. */
  #lineMs: number | undefined;
  #lineAtMs = 0;
  /** The same at least: what a reading showed had passed when its answer came. Held time goes on from here, so never early. */
  #leastMs = Number.NEGATIVE_INFINITY;
  #latestMs = Number.NEGATIVE_INFINITY;
  /** What is taken off the database's time while it is held. */
  #aheadMs = 0;
  /** What holding has cost, made good when the database's clock is back in line. */
  #lostMs = 0;
  #hold: { readonly sinceMs: number; byMs: number } | undefined;
  /** Counts holds and their ends: a reading that began before one decides nothing. */
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

  /** Believes the database's clock from the next reading on, wherever it stands. */
  accept(): void {
    this.#endHold();
    this.#lineMs = undefined;
    this.#latestMs = Number.NEGATIVE_INFINITY;
  }

  /** Goes on at `nowMs`, which somebody trusted while the database's clock showed `databaseMs`. */
  resume({ nowMs, databaseMs }: { readonly nowMs: number; readonly databaseMs: number }): void {
    this.accept();
    const lineMs = nowMs - this.#monotonicMs();
    this.#moved(nowMs, lineMs, lineMs);
    this.#holdAt(nowMs, databaseMs);
  }

  #take(databaseMs: number, { sentAtMs, latestMs, turn }: Mark): number {
    const receivedAtMs = this.#monotonicMs();
    if (this.#lineMs === undefined) return this.#moved(databaseMs, databaseMs - sentAtMs, databaseMs - receivedAtMs);
    const driftMs = DRIFT * (receivedAtMs - this.#lineAtMs);
    const lineMs = this.#lineMs + driftMs;
    const mostMs = Math.max(this.#lineMs + receivedAtMs, this.#latestMs);
    const isCurrent = turn === this.#turn;
    const isAhead = (ms: number, allowedMs: number): boolean => ms - receivedAtMs > lineMs + allowedMs + JUMP_MS;
    const isBack = (ms: number, beforeMs: number): boolean => isCurrent && ms < beforeMs - JUMP_MS;
    const withoutJumpMs = databaseMs - this.#aheadMs;
    // Not all that has passed since the last reading by a monotonic clock that may be wrong as well.
    const soonMs = latestMs + JUMP_MS;
    const expectedMs = this.#hold ? Math.max(latestMs, Math.min(withoutJumpMs, mostMs, soonMs)) : latestMs;
    if (!isAhead(databaseMs, this.#lostMs) && !isBack(databaseMs, expectedMs)) {
      const ownLineMs = Math.min(lineMs + this.#lostMs, databaseMs - sentAtMs);
      if (isCurrent && this.#hold) this.#endHold();
      if (this.#hold) return this.#moved(databaseMs, lineMs, this.#leastMs);
      // More than can be true now: the clock went back a little.
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

  /** What was trusted stays trusted: each end of a hold would allow two seconds more back otherwise. */
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
