import { shownPets } from '../../../shared/pets/shown-pet.ts';
import type { Play } from '../load/play.ts';
import { chooseCommand, type KnownRules } from './choose-command.ts';

/** Pets are adopted, fed and hurried, by these rules. */
export const petsPlay = (rules: KnownRules): Play => ({
  choose: ({ items, things }, chance) => chooseCommand({ items, pets: shownPets(things.pets, [0]) }, rules, chance),
  dueAtMs: (event) => (event.type === 'feeding-completed' ? event.at : undefined),
  hint: 'meals of seconds make some (RULES_FILE)',
});
