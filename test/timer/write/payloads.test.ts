import { expect, it } from 'vitest';
import { payloadShape } from '../../../server/timer/write/timer-calls.ts';
import { readOptions } from '../../../shared/options/read-options.ts';

const circle: { self?: unknown } = {};
circle.self = circle;
const read = (payload: unknown) => readOptions(payloadShape, payload, 'schedule');

it.each([
  ['a BigInt', 1n, 'cannot be JSON'],
  ['a circle', circle, 'cannot be JSON'],
  [
    'what throws when it becomes JSON',
    {
      toJSON: () => {
        throw Object.create(null);
      },
    },
    'cannot be JSON',
  ],
  ['a function', () => undefined, 'JSON keeps nothing'],
  ['a NUL', { text: 'a\0b' }, 'U+0000'],
  ['half an emoji', ['\ud83d'], 'half a surrogate'],
  ['half an emoji as a name', { '\udc4d': 1 }, 'half a surrogate'],
  ['more than a megabyte', 'x'.repeat(1_000_000), 'bytes as JSON'],
  ['more than a megabyte of few letters', '\u6e1c'.repeat(340_000), 'bytes as JSON'],
])('a payload with %s is refused with one code, before anything is written', (_, payload, what) => {
  const refused = expect.objectContaining({ name: 'OptionsRefused', code: 'options/invalid' });
  expect(() => read(payload)).toThrow(refused);
  expect(() => read(payload)).toThrow(what);
});

it.each([
  [null],
  [0],
  [''],
  [{ emoji: '\u{1f44d}', slash: '\\u0000 and \\ud83d' }],
  [[1, null]],
  ['x'.repeat(999_998)],
])('a payload that JSON and Postgres can hold is taken: %#', (payload) => {
  expect(read(payload)).toBe(payload);
});
