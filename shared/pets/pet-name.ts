import type { Refusal } from '../module/module.ts';
import { ok, type Result, refused } from '../result.ts';

const MAX_CHARACTERS = 32;
/** Control, unassigned and private characters, halves of pairs, line breaks, and what turns the text around it. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The name as it is kept: trimmed, in one normal form. Refused when empty, too long, or not fit to show. */
export const petName = (asked: string): Result<string, Refusal> => {
  const name = asked.trim().normalize('NFC');
  if (!VISIBLE.test(name)) return unfit('empty');
  if ([...name].length > MAX_CHARACTERS) return unfit('too-long', { max: MAX_CHARACTERS });
  if (UNFIT.test(name)) return unfit('characters');
  return ok(name);
};

const unfit = (why: string, params: object = {}): Result<never, Refusal> =>
  refused({ code: 'name/refused', params: { why, ...params } });
