import { describe, expect, it } from 'vitest';
import { Again, afterCall, again } from '../../../../server/timer/fire/again.ts';
import { storableResult } from '../../../../server/timer/fire/handler-io.ts';
import { NOW_MS, timerOf } from '../../../support/engine/firing-tools.ts';

it('a turn that a call asks for with what JSON does not keep ends the timer, and says why', () => {
  const update = afterCall(timerOf('7'), new Again(NOW_MS + 5, 1n), NOW_MS);
  expect(update).toMatchObject({ state: 'completed', timerId: '7' });
  expect(JSON.stringify(update.result)).toContain('the payload of its next turn: ');
  expect(() => again(Number.NaN)).toThrow(/^again refuses/);
});

describe('the result of a handler', () => {
  const endless = Array.from({ length: 60 }).reduce<unknown>((part) => [part, part], 'x');
  const TOO_LONG = { notKept: expect.stringContaining('as JSON it has more than a million characters') };

  it.each([
    ['nothing', undefined, undefined],
    ['null', null, null],
    ['a million characters', 'x'.repeat(999_998), 'x'.repeat(999_998)],
    ['one more', 'x'.repeat(999_999), TOO_LONG],
    ['two strings that are too long together', ['x'.repeat(600_000), 'x'.repeat(600_000)], TOO_LONG],
    ['parts in very many places', endless, TOO_LONG],
    ['a function', () => undefined, { notKept: 'JSON has no function' }],
    ['half an emoji', ['\ud83d'], { notKept: expect.stringContaining('half a surrogate pair') }],
    ['a NUL', { text: 'a\0b' }, { notKept: expect.stringContaining('U+0000') }],
    ['a backslash before u0000, which is plain text', '\\u0000', '\\u0000'],
    ['a promise', { gold: Promise.resolve(5) }, { notKept: expect.stringContaining('it holds a promise: await it') }],
    ['an undefined field', { a: undefined, b: 1 }, { b: 1 }],
  ])('is kept as JSON, or the row says why not: %s', (_, result, kept) => {
    expect(storableResult(result)).toEqual(kept);
  });

  it('of undefined parts is not too long', () => {
    expect(storableResult(Array.from({ length: 150_000 }))).toHaveLength(150_000);
  });
});
