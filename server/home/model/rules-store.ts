import type { Tx } from '../../timer/model/timer-store.ts';

/** A version of a module's config. Versions never change. */
export interface RulesVersion {
  /** Counts the versions of all modules: the greatest number is in force. */
  readonly number: number;
  readonly module: string;
  /** Counts the module's versions, from 1. */
  readonly version: number;
  /** The config as it was given. */
  readonly config: unknown;
  /** `file`: a start gave it. */
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

/** Committed versions of rules. Every method throws a `StoreFault`. */
export interface RulesReads {
  /** The number in force; 0: no module has a version. */
  newest(): Promise<number>;
  /** The newest version of each module up to a number, and the items of all versions up to it. */
  at(number: number): Promise<{ readonly versions: readonly RulesVersion[]; readonly items: readonly string[] }>;
  /** Newest first; `before` is the last version of the previous page. */
  history(module: string, limit: number, before?: number): Promise<readonly RulesVersion[]>;
  version(module: string, version: number): Promise<RulesVersion | undefined>;
}

/** Makes versions, inside a transaction. Errors of the driver are thrown unchanged. */
export interface RulesWrites {
  /**
   * Returns the newest version of a module. Until the transaction ends no other transaction changes rules, so numbers
   * have the order of the commits.
   */
  lock(tx: Tx, module: string): Promise<RulesVersion | undefined>;
  /** The database's clock, epoch milliseconds. */
  nowMs(tx: Tx): Promise<number>;
  /** Whether an earlier start gave a file with this content. */
  wasFile(tx: Tx, module: string, config: unknown): Promise<boolean>;
  /** Adds a version, under the lock. It is in force from the commit on. */
  add(tx: Tx, rules: NewRules): Promise<RulesVersion>;
}

export interface RulesStore extends RulesReads, RulesWrites {}
