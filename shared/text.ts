import { z } from 'zod';

/** Text that every store and log can hold: no control characters, no halves of surrogate pairs. */
export const text = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'has characters that are not text');
