import type { Modules } from '../../domain/modules.ts';

/** Called with the modules whose rules are new. */
export type OnRules = (changed: readonly { readonly module: string; readonly version: number }[]) => void;

/** The rules that commands are decided by. */
export interface RulesInForce {
  /** The newest that this process knows. */
  readonly current: Modules;
  /** Those of a number, as a transaction read it with the clock; undefined: this process does not know them yet. */
  at(number: number): Modules | undefined;
  /** Reads the rules of a number. Throws a `StoreFault`. */
  load(number: number): Promise<void>;
  /** Returns how to stop it. */
  onRules(listener: OnRules): () => void;
}

/** Rules that never change: of a tool, or of modules without a config. */
export const fixedRules = (modules: Modules): RulesInForce => ({
  current: modules,
  at: () => modules,
  load: async () => undefined,
  onRules: () => () => undefined,
});
