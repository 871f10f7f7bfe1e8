import { ownEntry } from '../shared/items.ts';
import type { Catalogue } from '../shared/pets/catalogue.ts';
import type { PlayerCommandType } from '../shared/pets/protocol.ts';
import { shownPets, type ShownPet as WholePet } from '../shared/pets/shown-pet.ts';
import type { Play, SeededChance, Wish } from './play.ts';

/** The input of the choice: the part of the rules that any client may read. */
export type KnownRules = Pick<Catalogue, 'species' | 'foods' | 'cards' | 'limits'>;

type ShownPet = Pick<WholePet, 'id' | 'feedingId' | 'autoFeeds' | 'boostRate' | 'waitingFor'>;
interface Shown {
  readonly items: Readonly<Record<string, number>>;
  readonly pets: readonly ShownPet[];
}
type Wishes = readonly { readonly weight: number; readonly item: Wish }[];

/** Adopts, feeds and hurries pets, by these rules. */
export const petsPlay = (rules: KnownRules): Play => ({
  choose: ({ items, things }, chance) => chooseCommand({ items, pets: shownPets(things.pets, [0]) }, rules, chance),
  dueAtMs: (event) => (event.type === 'feeding-completed' ? event.at : undefined),
  hint: 'meals of seconds make some (RULES_FILE)',
});

/** Players rarely have more pets. */
const USUAL_PETS = 3;

/**
 * The player's next command, as far as the state allows it: most are accepted. Undefined: everything that a new player
 * gets has been used up.
 */
export const chooseCommand = (home: Shown, rules: KnownRules, chance: SeededChance): Wish | undefined => {
  const { pets } = home;
  const wishes = pets.flatMap((pet) =>
    pet.feedingId === '' ? ofIdlePet(pet, home, rules) : ofEater(pet, home, rules),
  );
  // Without food another pet is of no use.
  const others = foodsIn(home, rules).length > 0 ? adoptions(pets.length, rules, chance) : [];
  return chance.pick([...wishes, ...others]);
};

const adoptions = (pets: number, { species, limits }: KnownRules, chance: SeededChance): Wishes => {
  if (pets >= limits.petsPerPlayer) return [];
  const kind = species[Math.floor(chance.next() * species.length)] ?? '';
  const weight = pets === 0 ? 10 : pets < USUAL_PETS ? 1 : 0.05;
  return [{ weight, item: { type: 'home:adopt', payload: { name: `Pet ${pets + 1}`, species: kind } } }];
};

const ofIdlePet = (pet: ShownPet, home: Shown, rules: KnownRules): Wishes => [
  ...foodsIn(home, rules).map((food) => wish(8, 'home:feed', { petId: pet.id, food })),
  ...disarmOf(pet),
];

const ofEater = (pet: ShownPet, home: Shown, rules: KnownRules): Wishes => {
  const { id: petId, feedingId } = pet;
  return [
    ...cardsIn(home, rules)
      .filter((card) => fits(card, pet, rules))
      .map((card) => wish(weightOf(card, rules), 'home:use-card', { petId, feedingId, card })),
    ...disarmOf(pet),
    wish(1, 'home:stop', { petId, feedingId }),
  ];
};

const wish = (weight: number, type: PlayerCommandType, payload: Wish['payload']): Wishes[number] => ({
  weight,
  item: { type, payload },
});

const disarmOf = ({ id: petId, autoFeeds }: ShownPet): Wishes =>
  autoFeeds > 0 ? [wish(1, 'home:disarm', { petId, count: 1 })] : [];

const itemsIn = (home: Shown, table: object): readonly string[] =>
  Object.entries(home.items)
    .filter(([item, count]) => count > 0 && Object.hasOwn(table, item))
    .map(([item]) => item);
const foodsIn = (home: Shown, { foods }: KnownRules): readonly string[] => itemsIn(home, foods);
const cardsIn = (home: Shown, { cards }: KnownRules): readonly string[] => itemsIn(home, cards);

/** Whether the rules would accept it, as far as the state shows. */
const fits = (card: string, { autoFeeds, boostRate }: ShownPet, { cards, limits }: KnownRules): boolean => {
  const known = ownEntry(cards, card);
  if (known?.effect === 'repeat') return autoFeeds + known.times <= limits.autoFeedsPerPet;
  return known?.effect !== 'rate' || boostRate === 1 || boostRate === known.rate;
};

const weightOf = (card: string, { cards }: KnownRules): number => (ownEntry(cards, card)?.effect === 'cut' ? 3 : 2);
