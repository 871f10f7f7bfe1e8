import { entryOf } from '../../shared/catalogue.ts';
import { autoFeedsOf, countOf, type Pet, petOf, wholeCards } from '../../shared/home.ts';
import { petIdOf } from '../../shared/ids.ts';
import { type Command, type CommandOf, reject } from '../../shared/protocol.ts';
import { ok, refused } from '../../shared/result.ts';
import { takenBack } from './armed-cards.ts';
import { draftOf } from './draft.ts';
import { dueIfBegun, isBeyondTheClock, startFeeding } from './feeding.ts';
import { decideOperator } from './operator-acts.ts';
import { isOperatorCommand, type OperatorCommand } from './operator-command.ts';
import { petName } from './pet-name.ts';
import { playCard } from './play-card.ts';
import { isAnother, notEating, outOfStock, tooLong } from './refusals.ts';
import type { Decision, Scene } from './scene.ts';
import { stopped } from './stopped.ts';

/** What a command does to a home that was settled at the same `nowMs`, or why it may not be. */
export const decide = (scene: Scene<Command | OperatorCommand>): Decision => {
  const { command, home } = scene;
  if (isOperatorCommand(command)) return decideOperator({ ...scene, command });
  // What a frozen player asks for is refused; what the game's own server gives or takes is not the player's doing.
  if (home.frozenAtMs !== undefined && isPlayerCommand(command)) {
    return refused(reject('player/frozen', { frozenAt: home.frozenAtMs }));
  }
  switch (command.type) {
    case 'home:adopt':
      return adopt({ ...scene, command });
    case 'home:grant':
    case 'home:take':
      return moveItems({ ...scene, command });
    default:
      return decideOnPet({ ...scene, command }, command);
  }
};

type PetCommand = Exclude<Command, { type: 'home:adopt' | 'home:grant' | 'home:take' }>;

const decideOnPet = (scene: Scene, command: PetCommand): Decision => {
  const pet = petOf(scene.home, command.petId);
  if (!pet) return refused(reject('pet/unknown', { petId: command.petId }));
  switch (command.type) {
    case 'home:feed':
      return feed({ ...scene, command }, pet);
    case 'home:use-card':
      return playCard({ ...scene, command }, pet);
    case 'home:disarm':
      return disarm({ ...scene, command }, pet);
    case 'home:stop':
      return stop({ ...scene, command }, pet);
    case 'home:release':
      return release({ ...scene, command }, pet);
    default:
      return command satisfies never;
  }
};

const adopt = ({ catalogue, home, command, commandId, nowMs }: Scene<CommandOf<'home:adopt'>>): Decision => {
  if (!catalogue.species.includes(command.species))
    return refused(reject('species/unknown', { species: command.species }));
  const name = petName(command.name);
  if (!name.ok) return name;
  if (home.pets.length >= catalogue.limits.petsPerPlayer) {
    return refused(reject('pet/limit', { limit: catalogue.limits.petsPerPlayer }));
  }
  const draft = draftOf(home, commandId);
  const petId = petIdOf(home.playerId, draft.nextSeq());
  draft.add(nowMs, { type: 'pet-adopted', petId, name: name.value, species: command.species });
  return ok(draft.events());
};

const moveItems = ({
  catalogue,
  home,
  command,
  commandId,
  nowMs,
}: Scene<CommandOf<'home:grant' | 'home:take'>>): Decision => {
  const sign = command.type === 'home:grant' ? 1 : -1;
  const items: Record<string, number> = {};
  for (const [item, count] of Object.entries(command.items)) {
    const known = entryOf(catalogue.foods, item) ?? entryOf(catalogue.cards, item);
    if (!known && countOf(home.items, item) === 0) return refused(reject('item/unknown', { item }));
    if (sign < 0 && countOf(home.items, item) < count) return refused(outOfStock(home, item, count));
    items[item] = sign * count;
  }
  const draft = draftOf(home, commandId);
  draft.add(nowMs, { type: 'items-granted', items, reason: command.reason });
  return ok(draft.events());
};

const feed = ({ catalogue, home, command, commandId, nowMs }: Scene<CommandOf<'home:feed'>>, pet: Pet): Decision => {
  const food = entryOf(catalogue.foods, command.food);
  if (!food) return refused(reject('item/unknown', { item: command.food }));
  if (pet.feeding) return refused(reject('pet/eating', { petId: pet.petId, feedingId: pet.feeding.feedingId }));
  if (countOf(home.items, command.food) < 1) return refused(outOfStock(home, command.food, 1));
  const dueAt = dueIfBegun(food, pet.boost, nowMs);
  if (isBeyondTheClock(dueAt)) return refused(tooLong(dueAt));
  const draft = draftOf(home, commandId);
  startFeeding(draft, pet.petId, { food: command.food, ...food }, 'hand', nowMs);
  return ok(draft.events());
};

/** The newest cards go back first; a card of which a feeding was used already stays, with the feedings that are left. */
const disarm = ({ home, command, commandId, nowMs }: Scene<CommandOf<'home:disarm'>>, pet: Pet): Decision => {
  const have = pet.armed.reduce((sum, armed) => sum + wholeCards(armed), 0);
  const count = command.count ?? have;
  const autoFeeds = autoFeedsOf(pet);
  if (have === 0 && autoFeeds > 0) return refused(reject('card/partly-used', { petId: pet.petId, autoFeeds }));
  if (count < 1 || count > have) {
    return refused(reject('item/out-of-stock', { petId: pet.petId, have, need: Math.max(1, count) }));
  }
  const draft = draftOf(home, commandId);
  draft.add(nowMs, { type: 'auto-feed-disarmed', petId: pet.petId, ...takenBack(pet, count) });
  return ok(draft.events());
};

const stop = (scene: Scene<CommandOf<'home:stop'>>, pet: Pet): Decision => {
  const { home, command, commandId, nowMs } = scene;
  const feeding = pet.feeding;
  if (!feeding || isAnother(pet, command.feedingId)) return refused(notEating(pet, command.feedingId));
  const draft = draftOf(home, commandId);
  draft.add(nowMs, stopped(scene.catalogue, pet, feeding, nowMs));
  return ok(draft.events());
};

const isPlayerCommand = ({ type }: Command): boolean => type !== 'home:grant' && type !== 'home:take';

/** As `stop`, then the pet is gone; the cards on it go back to the items, what is left of a partly used one leaves with it. */
const release = (scene: Scene<CommandOf<'home:release'>>, pet: Pet): Decision => {
  const { home, commandId, nowMs } = scene;
  const draft = draftOf(home, commandId);
  const back = takenBack(pet);
  if (pet.feeding) draft.add(nowMs, stopped(scene.catalogue, pet, pet.feeding, nowMs));
  else if (Object.keys(back.items).length > 0) {
    draft.add(nowMs, { type: 'auto-feed-disarmed', petId: pet.petId, ...back });
  }
  draft.add(nowMs, { type: 'pet-released', petId: pet.petId });
  return ok(draft.events());
};
