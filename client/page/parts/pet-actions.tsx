import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import { Icon } from '../../look/icons.tsx';
import type { Game } from '../game/game.ts';
import { openDialog, useGame, useWords } from '../game/use-game.ts';
import type { PetFace } from './pet-face.ts';

interface Props {
  readonly pet: ShownPet;
  readonly face: PetFace;
}

/** The food that a chain waits for, else the first food in stock. */
const foodFor = (pet: ShownPet, { home, rules }: Game): string | undefined => {
  const has = (food: string): boolean => (home.value?.items[food] ?? 0) > 0;
  return [pet.waitingFor, ...Object.keys(rules.value?.foods ?? {})].find(has);
};

export const PetActions = ({ pet, face }: Props) => {
  const game = useGame();
  const { words, formats } = useWords();
  const isPending = game.pending.value.has(pet.id);
  const food = foodFor(pet, game);
  return (
    <fieldset class="pet-actions">
      <legend class="hidden-text">{words.pet.actions({ name: pet.name })}</legend>
      {food !== undefined && pet.food === '' ? (
        <button
          type="button"
          class="button button-main"
          aria-disabled={isPending}
          onClick={() => {
            game.chosen.value = pet.id;
            if (!isPending) game.feed(pet, food);
          }}
        >
          <Icon name="bowl" size={18} />
          {words.pet.feed({ food: formats.item(food) })}
        </button>
      ) : undefined}
      {face.undoSeconds > 0 ? (
        <button type="button" class="button" aria-disabled={isPending} onClick={() => isPending || game.stop(pet)}>
          <Icon name="undo" size={18} />
          {words.pet.undo({ seconds: String(face.undoSeconds) })}
        </button>
      ) : undefined}
      {face.undoSeconds === 0 && face.phase === 'eating' ? (
        <button
          type="button"
          class="button"
          aria-disabled={isPending}
          onClick={() => {
            if (!isPending) openDialog.value = { kind: 'stop', pet };
          }}
        >
          <Icon name="stop" size={18} />
          {words.pet.stop}
        </button>
      ) : undefined}
      <button
        type="button"
        class="button button-quiet pet-goodbye"
        aria-label={words.pet.release({ name: pet.name })}
        aria-disabled={isPending}
        onClick={() => {
          if (!isPending) openDialog.value = { kind: 'release', pet };
        }}
      >
        {words.pet.goodbye}
      </button>
    </fieldset>
  );
};
