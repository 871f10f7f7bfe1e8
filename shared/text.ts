import { z } from 'zod';

/** Text that every store and log can hold: no control characters, no halves of surrogate pairs. */
export const text = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'has characters that are not text');

/** Whether Postgres and JSON can hold the text: no U+0000, no halves of surrogate pairs. Line breaks may be in it. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
