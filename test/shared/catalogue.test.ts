import { describe, expect, it } from 'vitest';
import { isPlayerId, ownerOf } from '../../shared/ids.ts';
import { ownEntry } from '../../shared/items.ts';
import { defaultCatalogue, levelOf } from '../../shared/pets/catalogue.ts';
import { feedingIdOf } from '../../shared/pets/feeding.ts';

describe('the catalogue', () => {
  it('has no entries but its own', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(ownEntry(defaultCatalogue.foods, name)).toBeUndefined();
    }
  });

  it.each([
    [0, 1],
    [29, 1],
    [30, 2],
    [99, 2],
    [100, 3],
    [1_000_000, 4],
  ])('gives %i xp the level %i', (xp, level) => {
    expect(levelOf(defaultCatalogue.levels, xp)).toBe(level);
  });
});

describe('an id', () => {
  it('of a pet or a feeding names its player, whatever the player is called', () => {
    for (const player of ['anna', 'guest:1-2', 'a|b@c.d', 'x'.repeat(128)]) {
      expect(isPlayerId(player)).toBe(true);
      expect(ownerOf(`${player}~p7`)).toBe(player);
      expect(ownerOf(feedingIdOf(player, 7))).toBe(player);
    }
  });

  it.each(['', 'x'.repeat(129), 'a~b', 'a b', 'a/b', 'a\n', 'ä', '{a}', 7, null])('is no player id: %j', (value) => {
    expect(isPlayerId(value)).toBe(false);
  });
});
