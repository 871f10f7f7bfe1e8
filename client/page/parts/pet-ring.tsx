import { useRef } from 'preact/hooks';
import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import { systemPlatform } from '../../follow/platform.ts';
import { petTime } from '../game/pet-time.ts';
import { useGame, useTick } from '../game/use-game.ts';

const RADIUS = 72;
const ROUND = 2 * Math.PI * RADIUS;
/** How long the ring takes for most of its way after a card moved it. */
const EASE_MS = 140;
const STILL = 0.0008;
const REST_MS = 1_000;

const stillness = matchMedia('(prefers-reduced-motion: reduce)');

/** The eaten part of the meal. Drawn only from the server's times; a card moves it after the server's reply. */
export const PetRing = ({ pet }: { readonly pet: ShownPet }) => {
  const game = useGame();
  const arc = useRef<SVGCircleElement>(null);
  const shown = useRef({ feedingId: '', eaten: 0, drawnAtMs: 0 });
  useTick(() => {
    const { eaten, phase } = petTime(pet, game.nowMs());
    const last = shown.current;
    const drawnAtMs = systemPlatform.nowMs();
    const isNew = last.feedingId !== pet.feedingId;
    const way = eaten - last.eaten;
    const share = stillness.matches || isNew ? 1 : 1 - Math.exp(-(drawnAtMs - last.drawnAtMs) / EASE_MS);
    const now = Math.abs(way) < STILL ? eaten : last.eaten + way * share;
    shown.current = { feedingId: pet.feedingId, eaten: now, drawnAtMs };
    if (arc.current) arc.current.style.strokeDashoffset = `${ROUND * (1 - now)}`;
    if (now !== eaten) return 0;
    if (phase !== 'eating') return REST_MS;
    // Draws whenever half a pixel of it moves.
    return stillness.matches ? REST_MS : Math.min(REST_MS, pet.totalMs / (2 * ROUND));
  });
  return (
    <svg class="ring" viewBox="0 0 160 160" aria-hidden="true">
      <circle class="ring-halo" cx="80" cy="80" r="64" />
      <circle class="ring-track" cx="80" cy="80" r={RADIUS} />
      <circle ref={arc} class="ring-arc" cx="80" cy="80" r={RADIUS} stroke-dasharray={ROUND} />
    </svg>
  );
};
