/** A right that one process of a database has at a time. Losing it must be harmless: it saves work, not truth. */
export interface Exclusive {
  /** Whether this process has it now; tries to get it when not. */
  tryHold(): Promise<boolean>;
  release(): Promise<void>;
}

/** For a process that is alone anyway. */
export const alwaysExclusive: Exclusive = { tryHold: async () => true, release: async () => undefined };
