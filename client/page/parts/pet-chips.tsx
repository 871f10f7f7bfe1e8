import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import { Icon } from '../../look/icons.tsx';
import { useGame, useWords } from '../game/use-game.ts';
import type { PetFace } from './pet-face.ts';

interface Props {
  readonly pet: ShownPet;
  readonly face: PetFace;
}

export const PetChips = ({ pet, face }: Props) => {
  const game = useGame();
  const { words, formats } = useWords();
  const isPending = game.pending.value.has(pet.id);
  return (
    <ul class="chips">
      {face.boostSeconds > 0 ? (
        <li class="chip chip-boost">
          <Icon name="bolt" size={15} />
          {words.pet.boost({ rate: pet.boostRate, left: formats.brief(face.boostSeconds * 1000) })}
        </li>
      ) : undefined}
      {pet.autoFeeds > 0 ? (
        <li class="chip chip-repeat">
          <Icon name="repeat" size={15} />
          {words.pet.armed({ count: pet.autoFeeds })}
          <button
            type="button"
            class="chip-button"
            aria-label={words.pet.disarm({ name: pet.name })}
            title={words.pet.disarm({ name: pet.name })}
            aria-disabled={isPending}
            onClick={() => isPending || game.disarm(pet, 1)}
          >
            <Icon name="minus" size={16} />
          </button>
        </li>
      ) : undefined}
      {isPending ? (
        <li class="chip chip-pending">
          <span class="dots" aria-hidden="true" />
          {game.connection.value.phase === 'online' ? words.pet.pending : words.pet.pendingOffline}
        </li>
      ) : undefined}
    </ul>
  );
};
