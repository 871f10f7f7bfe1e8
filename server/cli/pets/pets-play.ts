import type { Play } from '../load/play.ts';
import { chooseCommand, type KnownRules } from './choose-command.ts';

/** Pets are adopted, fed and hurried, by these rules. */
export const petsPlay = (rules: KnownRules): Play => ({
  choose: (home, chance) => chooseCommand(home, rules, chance),
  dueAtMs: (event) => (event.type === 'feeding-completed' ? event.at : undefined),
  hint: 'meals of seconds make some (RULES_FILE)',
});
