import { useSignal } from '@preact/signals';
import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import type { Game } from '../game/game.ts';
import { type PetPhase, petTime } from '../game/pet-time.ts';
import { useGame, useTick, useWords } from '../game/use-game.ts';

/** The parts of a pet that change with time, in visible steps. */
export interface PetFace {
  readonly phase: PetPhase;
  readonly leftSeconds: number;
  readonly boostSeconds: number;
  readonly undoSeconds: number;
  /** How full the bowl is, 0 to 1. */
  readonly bowl: number;
  /** In a chain: it is still happy about the last meal. */
  readonly isFresh: boolean;
}

const BOWL_STEPS = 7;
const MINUTE = 60;
const FRESH_MS = 1_800;

const faceOf = (pet: ShownPet, game: Game): PetFace => {
  const nowMs = game.nowMs();
  const { phase, leftMs, eaten, isBoosted } = petTime(pet, nowMs);
  const undoMs = (game.rules.value?.limits.undoMs ?? 0) - (nowMs - pet.startedAt);
  // What is sent in the last second, or without a connection, comes too late: then the food would be gone.
  const isOnline = game.connection.value.phase === 'online';
  const canUndo = isOnline && phase === 'eating' && game.undoable.value.has(pet.feedingId);
  return {
    phase,
    leftSeconds: Math.ceil(leftMs / 1000),
    boostSeconds: isBoosted ? Math.ceil((pet.boostEndsAt - nowMs) / 1000) : 0,
    undoSeconds: canUndo ? Math.max(0, Math.floor(undoMs / 1000)) : 0,
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

/** The pet's present face; draws again when one of its steps has changed. */
export const useFace = (pet: ShownPet): PetFace => {
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
  // A new phase is shown at once, not at the next step.
  const now = faceOf(pet, game);
  if (face.value.phase !== now.phase) return now;
  return face.value;
};
