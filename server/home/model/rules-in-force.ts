import type { Modules } from '../../domain/modules.ts';

/** Called with the modules that have new rules. */
export type OnRules = (changed: readonly { readonly module: string; readonly version: number }[]) => void;

/** The rules that decide commands. */
export interface RulesInForce {
  /** The newest rules that this process knows. */
  readonly current: Modules;
  /** The rules with a number that a transaction read; undefined: this process does not know them yet. */
  at(number: number): Modules | undefined;
  /** Reads the rules of a number. Throws a `StoreFault`. */
  load(number: number): Promise<void>;
  /** Returns the unsubscriber. */
  onRules(listener: OnRules): () => void;
}

/** Rules that never change: of a tool, or of modules without a config. */
export const fixedRules = (modules: Modules): RulesInForce => ({
  current: modules,
  at: () => modules,
  load: async () => undefined,
  onRules: () => () => undefined,
});
