import { expect, it } from 'vitest';
import { payloadShape } from '../../../server/timer/write/timer-calls.ts';
import { readOptions } from '../../../shared/options/read-options.ts';

const circle: { self?: unknown } = {};
circle.self = circle;
class Private {
  readonly #gold = 5;
  gold(): number {
    return this.#gold;
  }
}
const holes: unknown[] = [];
holes[3] = 1;
const shared = Array.from({ length: 60 }).reduce<unknown>((part) => [part, part], 1);
const read = (payload: unknown) => readOptions(payloadShape, payload, 'schedule');

it.each([
  ['a BigInt', 1n, 'JSON does not have'],
  ['a circle', circle, 'one in itself'],
  [
    'what throws when it becomes JSON',
    {
      toJSON: () => {
        throw Object.create(null);
      },
    },
    'cannot be JSON',
  ],
  ['a function', () => undefined, 'JSON does not have'],
  ['a function as a field', { run: () => undefined }, 'run is a function'],
  ['NaN', { at: [1, Number.NaN] }, 'at[1] is NaN'],
  ['an infinite number', [Infinity], 'is Infinity'],
  ['a Map', { stock: new Map([['gold', 5]]) }, 'JSON keeps nothing'],
  ['a Set', new Set([1]), 'JSON keeps nothing'],
  ['an Error', new Error('lost'), 'JSON keeps nothing'],
  ['a number in an object', [Object(5)], 'JSON keeps nothing'],
  ['an object whose fields are private', new Private(), 'JSON keeps nothing'],
  ['undefined in a list', [undefined], '[0] is undefined'],
  ['a hole in a list', holes, '[0] is undefined'],
  ['a list of the greatest length', new Array(4_294_967_295), '[0] is undefined'],
  ['an invalid date', { at: new Date(Number.NaN) }, 'at is null as JSON'],
  ['parts that are shared until they are too many', shared, 'bytes as JSON'],
  ['a NUL', { text: 'a\0b' }, 'U+0000'],
  ['half an emoji', ['\ud83d'], 'half a surrogate pair'],
  ['half an emoji as a name', { '\udc4d': 1 }, 'half a surrogate pair'],
  ['more than a megabyte', 'x'.repeat(1_000_000), 'bytes as JSON'],
  ['more than a megabyte of few letters', '\u6e1c'.repeat(340_000), 'bytes as JSON'],
])('a payload with %s is refused with one code, before anything is written', (_, payload, what) => {
  const refused = expect.objectContaining({ name: 'OptionsRefused', code: 'options/invalid' });
  expect(() => read(payload)).toThrow(refused);
  expect(() => read(payload)).toThrow(what);
});

class Order {
  readonly card = 'meat';
  readonly by = undefined;
  price(): number {
    return this.card.length;
  }
}

it.each([
  [null],
  [0],
  [''],
  [{ emoji: '\u{1f44d}', slash: '\\u0000 and \\ud83d' }],
  [[1, null]],
  ['x'.repeat(999_998)],
  [
    {
      at: new Date(5),
      order: new Order(),
      url: new URL('https://game.example/'),
      bytes: Buffer.from('ab'),
      no: undefined,
    },
  ],
  [JSON.parse('{"__proto__":{"a":1},"constructor":1}')],
  [Array.from({ length: 90_000 }, (_, at) => at)],
])('a payload is read as JSON would read it: %#', (payload) => {
  expect(read(payload)).toEqual(JSON.parse(JSON.stringify(payload)));
});

it('a payload stays as it was given, whatever the caller does to it later', () => {
  const payload = { items: [{ gold: 5 }] };
  const taken = read(payload);
  payload.items[0] = { gold: Number.NaN };
  payload.items.push({ gold: 6 });
  expect(taken).toEqual({ items: [{ gold: 5 }] });
});

it('a BigInt that the game writes as text is that text', () => {
  Object.assign(BigInt.prototype, { toJSON: () => '5' });
  try {
    expect(read({ id: 5n })).toEqual({ id: '5' });
  } finally {
    Reflect.deleteProperty(BigInt.prototype, 'toJSON');
  }
});
