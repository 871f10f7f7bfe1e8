import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import type { Mood } from '../../look/art/mood.ts';
import { PetArt } from '../../look/art/pet-art.tsx';
import { Icon } from '../../look/icons.tsx';
import { useGame, useWords } from '../game/use-game.ts';
import { PetActions } from './pet-actions.tsx';
import { PetChips } from './pet-chips.tsx';
import { type PetFace, useFace } from './pet-face.ts';
import { PetRing } from './pet-ring.tsx';
import { PetStatus } from './pet-status.tsx';

const moodOf = ({ phase, isFresh }: PetFace, isHappy: boolean): Mood => {
  if (isHappy && (phase === 'idle' || isFresh)) return 'happy';
  if (phase === 'waiting') return 'waiting';
  return phase === 'idle' ? 'idle' : 'eating';
};

export const PetCard = ({ pet }: { readonly pet: ShownPet }) => {
  const game = useGame();
  const { words } = useWords();
  const face = useFace(pet);
  const isHappy = game.happy.value.has(pet.id);
  const isChosen = game.chosen.value === pet.id;
  const isPending = game.pending.value.has(pet.id);
  const mood = moodOf(face, isHappy);
  const classes = ['pet', `pet-${face.phase}`, isHappy && 'pet-happy', isChosen && 'pet-chosen'];
  return (
    <li class={classes.filter(Boolean).join(' ')} data-boosted={face.boostSeconds > 0} data-pending={isPending}>
      <button
        type="button"
        class="pet-choose"
        aria-pressed={isChosen}
        aria-label={words.pet.choose({ name: pet.name })}
        onClick={() => {
          game.chosen.value = pet.id;
        }}
      >
        <PetRing pet={pet} />
        <span class="pet-art">
          <PetArt species={pet.species} mood={mood} bowl={face.bowl} />
        </span>
        {isChosen ? (
          <span class="pet-tick">
            <Icon name="check" size={16} />
          </span>
        ) : undefined}
      </button>
      <div class="pet-about">
        <PetTitle pet={pet} />
        <PetStatus pet={pet} face={face} isHappy={isHappy} />
      </div>
      <PetChips pet={pet} face={face} />
      <PetActions pet={pet} face={face} />
    </li>
  );
};

const PetTitle = ({ pet }: { readonly pet: ShownPet }) => {
  const { rules } = useGame();
  const { words, formats } = useWords();
  const levels = rules.value?.levels ?? [0];
  const [from = 0, to] = [levels[pet.level - 1], levels[pet.level]];
  const share = to === undefined ? 1 : (pet.xp - from) / (to - from);
  const have = formats.number(pet.xp);
  const xp = to === undefined ? words.pet.xpMax({ have }) : words.pet.xp({ have, next: formats.number(to) });
  return (
    <div class="pet-title">
      <h2 class="pet-name">{pet.name}</h2>
      <p class="pet-level">
        <Icon name="star" size={14} />
        {words.pet.level({ level: pet.level })}
      </p>
      <div
        class="pet-xp"
        role="progressbar"
        aria-label={xp}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <span class="pet-xp-bar" style={{ inlineSize: `${share * 100}%` }} />
      </div>
      <p class="pet-xp-text">{xp}</p>
    </div>
  );
};
