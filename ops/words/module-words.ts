import { computed, signal } from '@preact/signals';
import type { Formats } from '../../shared/ops/fill-words.ts';
import { wordsOf } from '../../shared/ops/fill-words.ts';
import type { OpsModule } from '../../shared/ops/ops-thing.ts';
import { instant, number, signed, signedItems, span } from './formats.ts';
import { language } from './words.ts';

const known = signal<readonly OpsModule[]>([]);

/** From now on the words of these modules describe events and things. */
export const learn = (modules: readonly OpsModule[]): void => {
  known.value = modules;
};

export const modules = computed(() => known.value);

/** In the page's language; English if a module lacks it. */
export const moduleWords = computed(() => wordsOf(known.value, language.value));

export const formatsAt = (nowMs: number): Formats => ({
  number,
  span,
  signed,
  instant: (atMs) => instant(atMs, nowMs),
  items: signedItems,
});
