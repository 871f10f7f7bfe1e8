import { signal, useSignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import type { Game } from './game.ts';
import { onTick, type Repaint } from './ticker.ts';

export const GameContext = createContext<Game | undefined>(undefined);

export const useGame = (): Game => {
  const game = useContext(GameContext);
  if (!game) throw new Error('a part of the page was used outside of it');
  return game;
};

export const useWords = () => {
  const { language } = useGame();
  return { words: language.words.value, formats: language.formats.value };
};

/** Calls the newest `draw` in the page's loop. */
export const useTick = (draw: Repaint): void => {
  const newest = useRef(draw);
  newest.current = draw;
  useEffect(() => onTick(() => newest.current()), []);
};

/** How often an open dialog asks the server again: prices fall and chances end with time. */
const ASK_MS = 2_000;

/** A number that changes with each turn in which a dialog asks again. */
export const useAskTurn = (): number => {
  const game = useGame();
  const turn = useSignal(0);
  useTick(() => {
    turn.value = Math.floor(game.nowMs() / ASK_MS);
    return ASK_MS / 4;
  });
  return turn.value;
};

export type OpenDialog =
  | { readonly kind: 'adopt' }
  | { readonly kind: 'stop' | 'release'; readonly pet: ShownPet }
  | { readonly kind: 'card'; readonly pet: ShownPet; readonly card: string };

/** The open dialog, at most one. */
export const openDialog = signal<OpenDialog | undefined>(undefined);
