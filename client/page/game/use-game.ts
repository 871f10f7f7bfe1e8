import { signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { ShownPet } from '../../../shared/pets/shown-pet.ts';
import type { Game } from './game.ts';
import { type Draw, onTick } from './ticker.ts';

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
export const useTick = (draw: Draw): void => {
  const newest = useRef(draw);
  newest.current = draw;
  useEffect(() => onTick(() => newest.current()), []);
};

export type OpenDialog =
  | { readonly kind: 'adopt' }
  | { readonly kind: 'stop' | 'release'; readonly pet: ShownPet }
  | { readonly kind: 'card'; readonly pet: ShownPet; readonly card: string };

/** The open dialog, at most one. */
export const openDialog = signal<OpenDialog | undefined>(undefined);
