import { expect, it } from 'vitest';
import { commandHash } from '../../../server/home/model/home-store.ts';

const hashOf = (sites: unknown) => commandHash({ type: 'town:build', sites });

it('differs for commands whose schema makes a `Map`, a `Set` or a BigInt of them', () => {
  const sites = [
    new Set(['hall']),
    new Set(['mill']),
    new Map([['hall', { level: 1 }]]),
    new Map([['hall', { level: 2 }]]),
    new Map<string, bigint>([['hall', 2n]]),
  ];
  expect(new Set(sites.map(hashOf)).size).toBe(sites.length);
  expect(hashOf(new Set(['hall']))).toBe(hashOf(new Set(['hall'])));
});

it('is the same whatever the order of fields', () => {
  expect(hashOf({ a: 1, b: { c: 1, d: 2 } })).toBe(hashOf({ b: { d: 2, c: 1 }, a: 1 }));
});
