import { value } from '../../../shared/options/shapes.ts';

const MOST_BYTES = 1_000_000;
/** As `JSON.stringify` writes U+0000 and half a surrogate; a `\\` before it is one that was meant. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

const remedy = `give what JSON can say, at most ${MOST_BYTES} bytes of it`;

/** What is wrong with it: Postgres keeps it as JSON. */
const faultOf = (payload: unknown): string | undefined => {
  try {
    const text: string | undefined = JSON.stringify(payload);
    if (text === undefined) return `is a ${typeof payload}, of which JSON keeps nothing`;
    if (text.includes('\\u') && UNSTORABLE.test(text)) return 'has U+0000 or half a surrogate in a text';
    const isLong = text.length * 3 > MOST_BYTES && Buffer.byteLength(text) > MOST_BYTES;
    return isLong ? `has ${Buffer.byteLength(text)} bytes as JSON` : undefined;
  } catch (error) {
    return `cannot be JSON (${error instanceof Error ? error.message.split('\n')[0] : 'its toJSON throws'})`;
  }
};

/** A payload of a timer: `null` is one. */
export const payloadShape = value<unknown>(
  (given) => faultOf(given) === undefined,
  (given) =>
    given === undefined ? { remedy: 'give a payload; `null` for none' } : { what: faultOf(given) ?? '', remedy },
);
