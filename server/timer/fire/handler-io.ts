import { handleRejections, textOf } from '../../../shared/game-code.ts';
import { ok, type Result, refused } from '../../../shared/result.ts';
import type { Timer } from '../model/timer.ts';
import type { FiredTimer } from '../model/timer-kind.ts';

export const firedTimer = (timer: Timer): FiredTimer => {
  const { isMisfire = false, lateMs = 0, missed = 0 } = timer.lateness ?? {};
  return { ...timer, isMisfire, lateMs, missed };
};

/** Names a handler in errors. */
export const handlerOf = ({ kind }: { readonly kind: string }): string => `handler of kind "${kind}"`;

const MOST_CHARACTERS = 1_000_000;
const TOO_LONG = 'as JSON it has more than a million characters';
/** U+0000 and lone surrogates, as JSON escapes them. Behind an even number of backslashes only: else it is plain text. */
const NO_TEXT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** Stored instead of a result that cannot be stored: the work is done, and must not be repeated for that. */
export const notKept = (why: string): { readonly notKept: string } => ({ notKept: why });

/** The form in which a row stores a handler's result, or why it cannot be stored. */
export const storableResult = (result: unknown): unknown => {
  const kept = asJson(result);
  return kept.ok ? kept.value : notKept(kept.error);
};

/** Converts a value to what JSON and Postgres can store, or says why it cannot. */
export const asJson = (value: unknown): Result<unknown, string> => {
  if (value === undefined || value === null) return ok(value);
  try {
    let size = 0;
    const json: string | undefined = JSON.stringify(value, (_key, one: unknown) => {
      if (one instanceof Promise) throw new TypeError('it holds a promise: await it before it is returned');
      // The JSON is at least so long. It may be endless: a part may stand in very many places.
      size += typeof one === 'string' ? one.length : Number(one !== undefined);
      if (size > MOST_CHARACTERS) throw new RangeError(TOO_LONG);
      return one;
    });
    if (json === undefined) return refused(`JSON has no ${typeof value}`);
    if (json.length > MOST_CHARACTERS) return refused(TOO_LONG);
    if (NO_TEXT.test(json)) return refused('it holds U+0000 or half a surrogate pair, which Postgres does not take');
    return ok(JSON.parse(json));
  } catch (thrown) {
    handleRejections(value);
    return refused(textOf(thrown));
  }
};
