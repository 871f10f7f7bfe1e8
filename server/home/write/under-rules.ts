import type { Modules } from '../../domain/modules.ts';
import type { HomeRequest, HomeStore, LoadedHomes, SaveDecision, Saved } from '../model/home-store.ts';
import type { RulesInForce } from '../model/rules-in-force.ts';

/** Saves a change of homes: in its own transaction, or in the caller's. */
export type Save = HomeStore['change'];

interface UnderRules {
  readonly rules: RulesInForce;
  readonly save: Save;
  readonly request: HomeRequest;
}

/** Decides by the rules that were in force when the transaction read the clock: reads new ones, then tries again. */
export const saveUnderRules = async <Value>(
  { rules, save, request }: UnderRules,
  decide: (modules: Modules, loaded: LoadedHomes) => SaveDecision<Value>,
): Promise<Saved<Value>> => {
  for (;;) {
    const { index, value } = await save(request, (loaded): SaveDecision<Decided<Value>> => {
      const modules = rulesOf(rules, loaded);
      if (!modules) return { changes: [], value: { unknown: loaded.rules ?? 0 }, isTrial: true };
      const decision = decide(modules, loaded);
      return { ...decision, value: { decided: decision.value } };
    });
    if ('decided' in value) return { index, value: value.decided };
    await rules.load(value.unknown);
  }
};

type Decided<Value> = { readonly decided: Value } | { readonly unknown: number };

/** The rules that were in force when the transaction read the clock; undefined: this process has not read them yet. */
export const rulesOf = (rules: RulesInForce, { rules: number }: Pick<LoadedHomes, 'rules'>): Modules | undefined =>
  number === undefined ? rules.current : rules.at(number);
