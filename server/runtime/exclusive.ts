/** A lock that one process of a database has at a time. Losing it must be harmless: it saves work, not truth. */
export interface Exclusive {
  /** Whether this process has the lock now; tries to take it if not. */
  tryHold(): Promise<boolean>;
  /** Whether this process may not work at all, whoever has the lock. Default: no. */
  isBarred?(): boolean;
  release(): Promise<void>;
}

/** For a process without other processes. */
export const alwaysExclusive: Exclusive = { tryHold: async () => true, release: async () => undefined };
