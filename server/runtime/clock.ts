/** Where time comes from. Nothing else in `timer/` reads a clock or sets a timer. */
export interface Clock {
  /** Epoch milliseconds of this machine, whole. It may jump either way. */
  nowMs(): number;
  /** Milliseconds since some fixed instant; never goes back. */
  monotonicMs(): number;
  /** Milliseconds that this process has had the processor for, in all its threads; not whole. */
  cpuMs(): number;
  /** Calls once after `delayMs`, which may be arbitrarily long; the function that it returns cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}
