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

/** For a terminal: what would move its cursor, hide text or turn it round is shown as `\x1b` or `\u202e`. A line stays one. */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (mark) => {
    const code = mark.charCodeAt(0).toString(16);
    return mark < ' ' ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
  });

/** As `visible`, of several lines. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');
