import { useSignal } from '@preact/signals';
import type { ShownPet } from '../../follow/follow-home.ts';
import type { Mood } from '../../look/art/mood.ts';
import { PetArt } from '../../look/art/pet-art.tsx';
import { Icon } from '../../look/icons.tsx';
import type { Game } from '../game.ts';
import { type PetPhase, petTime } from '../pet-time.ts';
import { openDialog, useGame, useTick, useWords } from '../use-game.ts';
import { PetRing } from './pet-ring.tsx';

/** What of a pet changes with time, in the steps in which it is shown. */
interface PetFace {
  readonly phase: PetPhase;
  readonly leftSeconds: number;
  readonly boostSeconds: number;
  readonly undoSeconds: number;
  /** How full the bowl is, 0 to 1. */
  readonly bowl: number;
  /** Of a chain: it is still happy about the last meal. */
  readonly isFresh: boolean;
}

const BOWL_STEPS = 7;
const MINUTE = 60;
const FRESH_MS = 1_800;

const faceOf = (pet: ShownPet, game: Game): PetFace => {
  const nowMs = game.nowMs();
  const { phase, leftMs, eaten, isBoosted } = petTime(pet, nowMs);
  const undoMs = (game.rules.value?.limits.undoMs ?? 0) - (nowMs - pet.startedAt);
  const canUndo = phase === 'eating' && game.undoable.value.has(pet.feedingId);
  return {
    phase,
    leftSeconds: Math.ceil(leftMs / 1000),
    boostSeconds: isBoosted ? Math.ceil((pet.boostEndsAt - nowMs) / 1000) : 0,
    undoSeconds: canUndo ? Math.max(0, Math.ceil(undoMs / 1000)) : 0,
    isFresh: phase === 'eating' && nowMs - pet.startedAt < FRESH_MS,
    bowl: phase === 'eating' ? Math.ceil((1 - eaten) * BOWL_STEPS) / BOWL_STEPS : 0,
  };
};

const isSame = (a: PetFace, b: PetFace): boolean =>
  a.phase === b.phase &&
  a.leftSeconds === b.leftSeconds &&
  a.boostSeconds === b.boostSeconds &&
  a.undoSeconds === b.undoSeconds &&
  a.bowl === b.bowl &&
  a.isFresh === b.isFresh;

/** The pet's face as of now; draws again when one of its steps has changed. */
const useFace = (pet: ShownPet): PetFace => {
  const game = useGame();
  const { words } = useWords();
  const face = useSignal(faceOf(pet, game));
  useTick(() => {
    const nowMs = game.nowMs();
    const next = faceOf(pet, game);
    const last = face.peek();
    const isMinuteLeft = last.leftSeconds > MINUTE && last.leftSeconds < MINUTE + 5 && next.leftSeconds === MINUTE;
    if (isMinuteLeft) game.toasts.say(words.news.oneMinute({ name: pet.name }));
    if (!isSame(last, next)) face.value = next;
    // Up to the next whole second of the countdown.
    return next.phase === 'eating' ? Math.max(1, (pet.dueAt - nowMs) % 1000) + 1 : 1000;
  });
  // A new state is shown at once, not with the next beat.
  const now = faceOf(pet, game);
  if (face.value.phase !== now.phase) return now;
  return face.value;
};

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

interface PetPartProps {
  readonly pet: ShownPet;
  readonly face: PetFace;
}

const PetStatus = ({ pet, face, isHappy }: PetPartProps & { readonly isHappy: boolean }) => {
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

const PetChips = ({ pet, face }: PetPartProps) => {
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

/** What a chain waits for, else the first food that there is. */
const foodFor = (pet: ShownPet, { home, rules }: Game): string | undefined => {
  const has = (food: string): boolean => (home.value?.items[food] ?? 0) > 0;
  return [pet.waitingFor, ...Object.keys(rules.value?.foods ?? {})].find(has);
};

const PetActions = ({ pet, face }: PetPartProps) => {
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
        onClick={() => {
          if (!isPending) openDialog.value = { kind: 'release', pet };
        }}
      >
        {words.pet.goodbye}
      </button>
    </fieldset>
  );
};
