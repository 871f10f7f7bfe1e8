import type { Tx } from '../../timer/model/timer-store.ts';

/** A version of a module's config. None is ever changed. */
export interface RulesVersion {
  /** Counts the versions of all modules: the greatest one says what is in force. */
  readonly number: number;
  readonly module: string;
  /** Counts those of the module, from 1. */
  readonly version: number;
  /** As it was written. */
  readonly config: unknown;
  /** `file`: it was given at a start. */
  readonly source: 'file' | 'operator';
  readonly by: string;
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
}

export interface NewRules extends Pick<RulesVersion, 'module' | 'config' | 'source' | 'by' | 'reason'> {
  /** Items that the config names. */
  readonly items: readonly string[];
}

/** Versions of rules, as they were committed. Every method throws a `StoreFault`. */
export interface RulesReads {
  /** The number in force; 0: no module has a version. */
  newest(): Promise<number>;
  /** What a number says: the newest version of each module by then, and the items of all versions by then. */
  at(number: number): Promise<{ readonly versions: readonly RulesVersion[]; readonly items: readonly string[] }>;
  /** Newest first; `before` is the version of the last one seen. */
  history(module: string, limit: number, before?: number): Promise<readonly RulesVersion[]>;
  version(module: string, version: number): Promise<RulesVersion | undefined>;
}

/** How versions are made, inside a transaction. Errors come as the driver throws them. */
export interface RulesWrites {
  /**
   * Returns the newest version of a module. Until the transaction ends no other one changes rules: numbers are in the order
   * of the commits.
   */
  lock(tx: Tx, module: string): Promise<RulesVersion | undefined>;
  /** The database's clock, epoch milliseconds. */
  nowMs(tx: Tx): Promise<number>;
  /** Whether a file with this content was given at a start before. */
  wasFile(tx: Tx, module: string, config: unknown): Promise<boolean>;
  /** Under the lock. It is in force from the commit on. */
  add(tx: Tx, rules: NewRules): Promise<RulesVersion>;
}

export interface RulesStore extends RulesReads, RulesWrites {}
