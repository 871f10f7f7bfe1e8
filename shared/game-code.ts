// The wall: every call of the game's code goes through here. Whatever that code returns or throws, the outcome is its
// value or a `GameFault`.

const LONGEST_TEXT = 2000;
const LONGEST_STACK = 4000;
const MOST_CAUSES = 8;
/** Of a stack, and of an object's JSON: a part may stand in very many places. */
const LONGEST_READ = 100_000;

/**
 * The game's code threw. The message names the code and its error, with codes and causes; the stack is that of the
 * error. It has no `cause`, so that a search for faults of the world finds none of the game's.
 */
export class GameFault extends Error {
  readonly code = 'game/fault';
  /** The failed code: `handler of kind "mail"`. */
  readonly whose: string;
  /** Private, not fields: a log would print the text twice, and read the thrown value, which may throw. */
  readonly #text: string;
  readonly #thrown: unknown;

  constructor(whose: string, thrown: unknown) {
    const text = textOf(thrown);
    super(`${whose}: ${text}`);
    handleRejection(thrown);
    this.name = 'GameFault';
    this.whose = whose;
    this.#text = text;
    this.#thrown = thrown;
    const frames = textAt(thrown, 'stack')
      ?.slice(-LONGEST_READ)
      .match(/^ +at .*$/gm);
    if (frames) this.stack = clean(`${this.name}: ${this.message}\n${frames.join('\n')}`, LONGEST_STACK);
  }

  /** The thrown value as text. */
  get text(): string {
    return this.#text;
  }

  /** The thrown value, for the game's own `catch`. It may be anything: read it with `isA` and `causesOf`. */
  get thrown(): unknown {
    return this.#thrown;
  }
}

/** Calls the game's code, sync or async, and awaits the result. Throws only a `GameFault`. */
export const callGame = async <T>(whose: string, work: () => T): Promise<Awaited<T>> => {
  try {
    const value = await work();
    if (isList(value)) handleRejections(value);
    return value;
  } catch (thrown) {
    throw faultOf(whose, thrown);
  }
};

/** Calls code of the game that must be sync: a returned promise is a fault, and its rejection is handled. */
export const callGameNow = <T>(whose: string, work: () => T): T => {
  try {
    const value = work();
    if (isList(value)) handleRejections(value);
    if (!isThenable(value)) return value;
    handleRejection(value);
    throw new TypeError('it returned a promise: it has to be done when it returns, so it must not be async');
  } catch (thrown) {
    throw faultOf(whose, thrown);
  }
};

/** A game's own `onFault`, which may throw or be async: its failures stop nothing. The console reports the first one. */
export const guardedFault = (onFault: (message: string, error: unknown) => unknown) => {
  let isReported = false;
  return (message: string, error: unknown): void =>
    void callGame('onFault', () => onFault(message, error)).catch((thrown) => {
      if (!isReported) console.error(`kibble: the onFault that it was given fails: ${textOf(thrown)}`);
      isReported = true;
    });
};

/** Handles a rejection that no other code awaits, so that it does not end the process. Never throws. */
export const handleRejection = (value: unknown, told: (thrown: unknown) => void = () => undefined): void => {
  if (peek(() => isThenable(value)) ?? true) new Promise((resolve) => resolve(value)).catch(told);
};

/** As `map` with an async function returns it. */
const isList = (value: unknown): boolean => peek(() => Array.isArray(value)) ?? false;

/** Handles the promises inside a value that is refused. Reads each part once, and only the first ones of very many. */
export const handleRejections = (returned: unknown): void => {
  const found = new Set([returned]);
  for (const one of found) {
    handleRejection(one);
    const parts = typeof one === 'object' && one !== null ? (peek(() => Object.values(one)) ?? []) : [];
    for (const part of parts) {
      if (found.size >= MOST_PARTS) break;
      if (typeof part === 'object' && part !== null) found.add(part);
    }
  }
};

const MOST_PARTS = 100_000;

const faultOf = (whose: string, thrown: unknown): GameFault =>
  isA(thrown, GameFault) ? thrown : new GameFault(whose, thrown);

/** `instanceof` for a value that may be a throwing proxy. */
export const isA = <T>(value: unknown, type: abstract new (...args: never[]) => T): value is T =>
  peek(() => value instanceof type) === true;

/** An error and its causes, outermost first, with the parts of an `AggregateError`; only the first few. */
export const causesOf = (thrown: unknown): readonly unknown[] => {
  const found = new Set([thrown]);
  for (const one of found) {
    for (const cause of isA(one, GameFault) ? [at(one, 'thrown')] : causesAt(one)) {
      if (found.size < MOST_CAUSES && cause !== undefined) found.add(cause);
    }
  }
  return [...found];
};

const causesAt = (one: unknown): readonly unknown[] => {
  const parts = at(one, 'errors');
  const listed = peek(() => (Array.isArray(parts) ? Array.from(parts.slice(0, MOST_CAUSES)) : [])) ?? [];
  return [at(one, 'cause'), ...listed];
};

/** Any thrown value as text that every log and column accepts: `TypeError: fetch failed; by Error: ... (ECONNREFUSED)`. */
export const textOf = (thrown: unknown): string =>
  clean(
    causesOf(isA(thrown, GameFault) ? at(thrown, 'thrown') : thrown)
      .map((one) => peek(() => ownText(one).slice(0, LONGEST_TEXT)) ?? 'an object that cannot be read')
      .join('; by '),
    LONGEST_TEXT,
  );

const ownText = (one: unknown): string => {
  if (typeof one !== 'object' || one === null) return typeof one === 'function' ? 'a function' : String(one);
  const message = textAt(one, 'message');
  const isError = isA(one, Error);
  if (message === undefined && !isError) return shortJson(one);
  const code = at(one, 'code');
  const told = typeof code === 'string' || typeof code === 'number' ? ` (${code})` : '';
  return `${isError ? `${textAt(one, 'name') ?? 'Error'}: ` : ''}${message ?? ''}${told}`;
};

/** Throws for an object that is longer. */
const shortJson = (one: object): string => {
  let left = LONGEST_READ;
  return JSON.stringify(one, (name, value: unknown) => {
    left -= 1 + name.length + (typeof value === 'string' ? value.length : 0);
    if (left < 0) throw new RangeError('the object is too long');
    return value;
  });
};

const clean = (text: string, longest: number): string => text.slice(0, longest).replace(/[\0\p{Cs}]/gu, '');

/** The text in a field; undefined if it is no text or cannot be read. */
export const textAt = (of: unknown, key: string): string | undefined => {
  const value = at(of, key);
  return typeof value === 'string' ? value : undefined;
};

const at = (of: unknown, key: string): unknown =>
  typeof of === 'object' && of !== null ? peek(() => (of as Readonly<Record<string, unknown>>)[key]) : undefined;

const isThenable = (value: unknown): boolean =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof (value as { readonly then?: unknown }).then === 'function';

/** The result of a read; undefined if it throws. */
export const peek = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};
