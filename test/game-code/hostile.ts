/** Values that a game's code may throw, and their expected text. A wall that holds one of them and not another is none. */
export const hostileThrows: readonly { readonly what: string; readonly make: () => unknown; readonly said: RegExp }[] =
  [
    { what: 'an error', make: () => new TypeError('no food'), said: /^TypeError: no food$/ },
    { what: 'a string', make: () => 'no food', said: /^no food$/ },
    { what: 'undefined', make: () => undefined, said: /^undefined$/ },
    { what: 'null', make: () => null, said: /^null$/ },
    { what: 'NaN', make: () => Number.NaN, said: /^NaN$/ },
    { what: 'a BigInt', make: () => 10n, said: /^10$/ },
    { what: 'a symbol', make: () => Symbol('food'), said: /^Symbol\(food\)$/ },
    { what: 'a function', make: () => () => 'food', said: /^a function$/ },
    { what: 'an object without a prototype', make: () => Object.create(null), said: /^\{\}$/ },
    { what: 'a plain object', make: () => ({ status: 503 }), said: /^\{"status":503\}$/ },
    { what: 'an object with a message', make: () => ({ message: 'gone', code: 410 }), said: /^gone \(410\)$/ },
    { what: 'a circular object', make: circular, said: /^an object that cannot be read$/ },
    { what: 'an object with a BigInt', make: () => ({ gold: 1n }), said: /^an object that cannot be read$/ },
    { what: 'a revoked proxy', make: revoked, said: /^an object that cannot be read$/ },
    { what: 'an object each of whose fields throws', make: thorny, said: /^an object that cannot be read$/ },
    { what: 'an error whose name throws', make: () => throwing(new Error('odd'), 'name'), said: /^Error: odd$/ },
    { what: 'an error whose message throws', make: () => throwing(new Error('odd'), 'message'), said: /^Error: $/ },
    { what: 'an error whose stack throws', make: () => throwing(new Error('odd'), 'stack'), said: /^Error: odd$/ },
    { what: 'an error whose cause throws', make: () => throwing(new Error('odd'), 'cause'), said: /^Error: odd$/ },
    { what: 'an error whose code throws', make: () => throwing(new Error('odd'), 'code'), said: /^Error: odd$/ },
    { what: 'an error that is no text', make: unprintable, said: /^Error: odd$/ },
    { what: 'an error that caused itself', make: selfCaused, said: /^Error: odd$/ },
    {
      what: 'an error with NUL and half an emoji',
      make: () => new Error('a\0b\ud83dc'),
      said: /^Error: abc$/,
    },
    {
      what: 'an error with a code',
      make: () => coded('refused', 'ECONNREFUSED'),
      said: /^Error: refused \(ECONNREFUSED\)$/,
    },
    {
      what: 'what fetch throws',
      make: () => new TypeError('fetch failed', { cause: coded('connect', 'ECONNREFUSED') }),
      said: /^TypeError: fetch failed; by Error: connect \(ECONNREFUSED\)$/,
    },
    {
      what: 'several errors in one',
      make: () => new AggregateError([new Error('one'), coded('two', 'E2'), Object.create(null)], 'all failed'),
      said: /^AggregateError: all failed; by Error: one; by Error: two \(E2\); by \{\}$/,
    },
    { what: 'an endless chain of causes', make: endless, said: /^Error: 0; by Error: 1.*by Error: 7$/ },
    { what: 'parts in very many places', make: shared, said: /^an object that cannot be read$/ },
    { what: 'an endless text', make: () => new Error('x'.repeat(100_000)), said: /^Error: x{1993}$/ },
  ];

/** As `map` with an async function returns it. Its receiver has to handle each of them. */
export const rejectedList = (): unknown => Array.from({ length: 20 }, () => Promise.reject(new Error('too late')));

/** Wrong values that a game's code may return, or that cannot be stored. */
export const hostileReturns: readonly { readonly what: string; readonly make: () => unknown }[] = [
  { what: 'a BigInt', make: () => ({ balance: 10n }) },
  { what: 'a circular object', make: circular },
  { what: 'a revoked proxy', make: revoked },
  { what: 'an object each of whose fields throws', make: thorny },
  { what: 'an object without a prototype', make: () => Object.create(null) },
  { what: 'a toJSON that throws', make: () => ({ toJSON: thrower }) },
  { what: 'a symbol', make: () => Symbol('food') },
  { what: 'a function', make: () => () => 'food' },
  { what: 'NaN', make: () => Number.NaN },
  { what: 'a Date', make: () => new Date(0) },
  { what: 'a Date that is none', make: () => new Date(Number.NaN) },
  { what: 'null', make: () => null },
  { what: 'a number', make: () => 7 },
  { what: 'text with NUL', make: () => 'a\0b' },
  { what: 'half an emoji', make: () => ({ name: '\ud83d' }) },
  { what: 'a key with NUL', make: () => ({ 'a\0': 1 }) },
  { what: 'text of two megabytes', make: () => 'x'.repeat(2_000_000) },
  { what: 'an object of a hundred thousand floors', make: deep },
  { what: 'parts in very many places', make: shared },
  { what: 'a thenable that throws', make: thenable },
  { what: 'a thenable whose `then` cannot be read', make: () => throwing({}, 'then') },
  { what: 'a promise that is rejected', make: () => Promise.reject(new Error('too late')) },
];

const thrower = (): never => {
  throw new Error('thrown while it was read');
};

const throwing = <T extends object>(value: T, key: string): T => Object.defineProperty(value, key, { get: thrower });

const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });

function circular(): object {
  const loop: { self?: object } = {};
  loop.self = loop;
  return loop;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function thorny(): object {
  return new Proxy({}, { get: thrower, has: thrower, ownKeys: thrower, getPrototypeOf: thrower });
}

function unprintable(): Error {
  return Object.assign(new Error('odd'), { toString: thrower, toJSON: thrower, [Symbol.toPrimitive]: thrower });
}

function selfCaused(): Error {
  const error = new Error('odd');
  error.cause = error;
  return error;
}

function endless(at = 0): Error {
  return Object.defineProperty(new Error(String(at)), 'cause', { get: () => endless(at + 1) });
}

function thenable(): object {
  // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tried
  return { then: thrower };
}

/** 2 to the power of 50 values. */
function shared(): object {
  return Array.from({ length: 50 }).reduce<object>((part) => ({ left: part, right: part }), {});
}

function deep(): object {
  let top: object = {};
  for (let floor = 0; floor < 100_000; floor += 1) top = { top };
  return top;
}

// Which callbacks a public type has, by the types themselves: a table that `satisfies` a record of them has a row for each,
// or does not compile.

type Fun = (...args: never[]) => unknown;

/** The fields of an object of the game's that are called. */
export type CallbacksOf<T> = {
  [Key in keyof T & string]-?: [Extract<NonNullable<T[Key]>, Fun>] extends [never] ? never : Key;
}[keyof T & string];

/** The methods of an object of ours that take something to call. */
export type TakersOf<T> = {
  [Key in keyof T & string]-?: T[Key] extends (...args: infer Args) => unknown
    ? [Extract<Args[number], Fun>] extends [never]
      ? never
      : Key
    : never;
}[keyof T & string];
