import { type Rejection, reject } from '../../shared/protocol.ts';
import { ok, type Result, refused } from '../../shared/result.ts';

const MAX_CHARACTERS = 32;
/** Control, unassigned and private characters, halves of pairs, line breaks, and what turns the text around it. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The name as it is kept: trimmed, in one normal form. Refused when empty, too long, or not fit to show. */
export const petName = (asked: string): Result<string, Rejection> => {
  const name = asked.trim().normalize('NFC');
  if (!VISIBLE.test(name)) return refused(reject('name/refused', { why: 'empty' }));
  if ([...name].length > MAX_CHARACTERS)
    return refused(reject('name/refused', { why: 'too-long', max: MAX_CHARACTERS }));
  if (UNFIT.test(name)) return refused(reject('name/refused', { why: 'characters' }));
  return ok(name);
};
