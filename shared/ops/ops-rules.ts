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

/** A module with rules that can be changed. */
export interface OpsRulesOfModule extends OpsRulesVersion {
  /** This server cannot read the version in force, because a newer server wrote it. */
  readonly isUnreadable: boolean;
  /** An operator's change is in force instead of the rules with which this server was started. */
  readonly isFileWaiting: boolean;
}

export interface OpsRulesChanged {
  readonly version: number;
  readonly differences: readonly Difference[];
}
