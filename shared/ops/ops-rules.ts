import type { Difference } from '../differences.ts';

/** A version of a module's rules. */
export interface OpsRulesVersion {
  readonly module: string;
  readonly version: number;
  readonly source: 'file' | 'operator';
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
}

export interface OpsRules extends OpsRulesVersion {
  readonly config: unknown;
  /** Whether it is in force. */
  readonly isInForce: boolean;
}

/** A module whose rules can be changed. */
export interface OpsRulesOfModule extends OpsRulesVersion {
  /** This server cannot read the version in force, which a newer one wrote. */
  readonly isUnreadable: boolean;
  /** This server was started with other rules than those in force: an operator's change is. */
  readonly isFileWaiting: boolean;
}

export interface OpsRulesChanged {
  readonly version: number;
  readonly differences: readonly Difference[];
}
