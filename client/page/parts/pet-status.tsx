import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import type { Game } from '../game/game.ts';
import type { PetPhase } from '../game/pet-time.ts';
import { useGame, useWords } from '../game/use-game.ts';
import type { PetFace } from './pet-face.ts';

interface Props {
  readonly pet: ShownPet;
  readonly face: PetFace;
  readonly isHappy: boolean;
}

export const PetStatus = ({ pet, face, isHappy }: Props) => {
  const game = useGame();
  const { words, formats } = useWords();
  const leftMs = face.leftSeconds * 1000;
  const isEating = face.phase === 'eating';
  return (
    <div class="pet-status">
      <p class="pet-phase">{statusOf(pet, face.phase, isHappy, game)}</p>
      {isEating ? (
        <>
          <p
            class="pet-countdown"
            role="timer"
            aria-label={words.pet.left({ name: pet.name, left: formats.duration(leftMs) })}
          >
            {formats.countdown(leftMs)}
          </p>
          <p class="pet-due">{words.pet.doneAt({ at: formats.clock(pet.dueAt, game.nowMs()) })}</p>
        </>
      ) : undefined}
    </div>
  );
};

const statusOf = (pet: ShownPet, phase: PetPhase, isHappy: boolean, { language }: Game): string => {
  const { pet: words } = language.words.value;
  const formats = language.formats.value;
  switch (phase) {
    case 'idle':
      return isHappy ? words.happy : words.idle;
    case 'eating':
      return words.eating({ food: formats.item(pet.food) });
    case 'finishing':
      return words.finishing;
    case 'waiting':
      return words.waiting({ food: formats.item(pet.waitingFor) });
    default:
      return phase satisfies never;
  }
};
