import { expect, it } from 'vitest';
import { number, shortSubject } from '../../ops/words/formats.ts';

it('names the player once in the subject of a thing whose id begins with the player’s', () => {
  expect(shortSubject({ subject: 'guest:7~guest:7~p2', owner: 'guest:7' })).toBe('guest:7~p2');
  expect(shortSubject({ subject: 'guest:7~hall', owner: 'guest:7' })).toBe('guest:7~hall');
  expect(shortSubject({ subject: 'order-1', owner: 'ann' })).toBe('order-1');
});

it('says of a count that it may be more, once it reaches its bound', () => {
  expect([number(9_999, 10_000), number(10_000, 10_000), number(10_001)]).toEqual(['9,999', '10,000+', '10,001']);
});
