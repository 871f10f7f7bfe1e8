/** The source of time. Nothing else in `timer/` reads a clock or sets a timer. */
export interface Clock {
  /** Epoch milliseconds of this machine, whole. It may jump either way. */
  nowMs(): number;
  /** Milliseconds since some fixed instant; never goes back. */
  monotonicMs(): number;
  /** Milliseconds of processor time of this process, in all its threads; not whole. */
  cpuMs(): number;
  /** Calls once after `delayMs`, which may be arbitrarily long. Returns a function that cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}
