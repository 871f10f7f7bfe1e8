import { describe, expect, it } from 'vitest';
import { newHome, withThing } from '../../shared/home.ts';

it('a new home has nothing: no event, no items, no things, and no module has given what one begins with', () => {
  expect(newHome('anna')).toEqual({
    playerId: 'anna',
    seq: 0,
    lastAtMs: 0,
    items: {},
    things: {},
    counters: {},
    opened: [],
  });
});

describe('the things of a home', () => {
  const hall = { level: 1 };
  const before = { village: { hall }, zoo: { bear: {} } };

  it('keep what another module has, and what was there before', () => {
    const after = withThing(before, { module: 'village', id: 'mill' }, { level: 2 });
    expect(after).toEqual({ village: { hall, mill: { level: 2 } }, zoo: { bear: {} } });
    expect(before).toEqual({ village: { hall }, zoo: { bear: {} } });
  });

  it('lose a module with its last thing, and not before', () => {
    const two = withThing(before, { module: 'village', id: 'mill' }, { level: 2 });
    const one = withThing(two, { module: 'village', id: 'mill' }, undefined);
    expect(one).toEqual(before);
    expect(Object.keys(withThing(one, { module: 'village', id: 'hall' }, undefined))).toEqual(['zoo']);
  });
});
