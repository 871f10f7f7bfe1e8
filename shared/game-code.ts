// The wall: every call into code of the game goes through here. Whatever that code returns or throws, what comes out is
// its value or a `GameFault`.

const LONGEST_TEXT = 2000;
const LONGEST_STACK = 4000;
const MOST_CAUSES = 8;

/**
 * Code of the game threw. The message says whose code it was and what it threw, with codes and causes; the stack has the
 * frames of what was thrown. It has no `cause`, so that whoever looks for faults of the world finds none of the game's.
 */
export class GameFault extends Error {
  readonly code = 'game/fault';
  /** Whose code it was: `handler of kind "mail"`. */
  readonly whose: string;
  /** Neither is a field: a log would write the text twice, and read what was thrown, which may throw when it is read. */
  readonly #text: string;
  readonly #thrown: unknown;

  constructor(whose: string, thrown: unknown) {
    const text = textOf(thrown);
    super(`${whose}: ${text}`);
    this.name = 'GameFault';
    this.whose = whose;
    this.#text = text;
    this.#thrown = thrown;
    const frames = textAt(thrown, 'stack')?.match(/^ +at .*$/gm);
    if (frames) this.stack = clean(`${this.name}: ${this.message}\n${frames.join('\n')}`, LONGEST_STACK);
  }

  /** What was thrown, in words. */
  get text(): string {
    return this.#text;
  }

  /** The thing itself, for the game's own `catch`. It may be anything: ask `isA` and `causesOf` about it. */
  get thrown(): unknown {
    return this.#thrown;
  }
}

/** Calls code of the game, sync or async, and awaits what it returns. Throws a `GameFault`, and nothing else. */
export const callGame = async <T>(whose: string, work: () => T): Promise<Awaited<T>> => {
  try {
    return await work();
  } catch (thrown) {
    throw faultOf(whose, thrown);
  }
};

/** Calls code of the game that may not be async: a promise that it returns is a fault, and its rejection is heard. */
export const callGameNow = <T>(whose: string, work: () => T): T => {
  try {
    const value = work();
    if (!isThenable(value)) return value;
    handleRejection(value);
    throw new TypeError('it returned a promise: it has to be done when it returns, so it must not be async');
  } catch (thrown) {
    throw faultOf(whose, thrown);
  }
};

/** Hears a rejection that nobody else awaits, so that it does not end the process. Never throws. */
export const handleRejection = (value: unknown, told: (thrown: unknown) => void = () => undefined): void => {
  new Promise((resolve) => resolve(value)).catch(told);
};

const faultOf = (whose: string, thrown: unknown): GameFault =>
  isA(thrown, GameFault) ? thrown : new GameFault(whose, thrown);

/** `instanceof`, for what may be a proxy that throws. */
export const isA = <T>(value: unknown, type: abstract new (...args: never[]) => T): value is T =>
  peek(() => value instanceof type) === true;

/** What was thrown and what caused it, outermost first, also the parts of an `AggregateError`; a few at most. */
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

/** Anything that was thrown as a text that every log and column takes: `TypeError: fetch failed; by Error: ... (ECONNREFUSED)`. */
export const textOf = (thrown: unknown): string =>
  clean(
    causesOf(isA(thrown, GameFault) ? at(thrown, 'thrown') : thrown)
      .map(ownText)
      .join('; by '),
    LONGEST_TEXT,
  );

const ownText = (one: unknown): string => {
  if (typeof one !== 'object' || one === null) return typeof one === 'function' ? 'a function' : String(one);
  const message = textAt(one, 'message');
  const isError = isA(one, Error);
  if (message === undefined && !isError) return peek(() => JSON.stringify(one)) ?? 'an object that cannot be read';
  const code = at(one, 'code');
  const told = typeof code === 'string' || typeof code === 'number' ? ` (${code})` : '';
  return `${isError ? `${textAt(one, 'name') ?? 'Error'}: ` : ''}${message ?? ''}${told}`;
};

const clean = (text: string, longest: number): string => text.slice(0, longest).replace(/[\0\p{Cs}]/gu, '');

/** A text in a field, where it is one and can be read. */
export const textAt = (of: unknown, key: string): string | undefined => {
  const value = at(of, key);
  return typeof value === 'string' ? value : undefined;
};

const at = (of: unknown, key: string): unknown =>
  typeof of === 'object' && of !== null ? peek(() => (of as Readonly<Record<string, unknown>>)[key]) : undefined;

const isThenable = (value: unknown): boolean =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof (value as { readonly then?: unknown }).then === 'function';

/** What reading it gives, or undefined where that throws. */
const peek = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};
