/** A lock that one process of a database has at a time. Losing it must be harmless: it saves work, not truth. */
export interface Exclusive {
  /** Whether this process has the lock now; tries to take it if not. */
  tryLock(): Promise<boolean>;
  /** Whether this process has the right to run. Without that right it does no work beside the lock's holder. Default: yes. */
  mayRun?(): boolean;
  release(): Promise<void>;
}

/** For a process without other processes. */
export const alwaysExclusive: Exclusive = { tryLock: async () => true, release: async () => undefined };
