import type { Timer } from './timer.ts';
import type { Tx } from './timer-store.ts';

/** A kind that follows from a state: looking at the owner settles it, and completes, moves or cancels its rows. */
export interface DerivedKind {
  readonly kind: string;
  readonly derived: true;
  /** Throws when an owner could not be settled; then each owner is tried alone. */
  settle(owners: readonly string[]): Promise<void>;
}

/** A kind whose effects are in Postgres: committed with the state change, exactly once. */
export interface FireKind {
  readonly kind: string;
  /** All timers are due at `nowMs`. A map answers results by timer id, kept on the rows. */
  fire(timers: readonly Timer[], tx: Tx, nowMs: number): Promise<ReadonlyMap<string, unknown> | undefined>;
  readonly retryDelaysMs?: readonly number[];
}

/** A kind whose effects are elsewhere (HTTP, mail): at least once; `id` and `revision` are the idempotency key. */
export interface CallKind {
  readonly kind: string;
  /** What it answers is kept as the row's result. */
  call(timer: Timer, signal: AbortSignal): Promise<unknown>;
  /** After this the signal aborts and the attempt has failed. Default 10 s. */
  readonly timeoutMs?: number;
  readonly retryDelaysMs?: readonly number[];
}

export type TimerKind = DerivedKind | FireKind | CallKind;
