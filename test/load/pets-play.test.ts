import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chooseCommand } from '../../load/pets-play.ts';
import { chanceOf, type Wish } from '../../load/play.ts';
import { petsOf } from '../../shared/pets/pet.ts';
import { shownPet } from '../../shared/pets/shown-pet.ts';
import { parseCommand } from '../../testing/pets-engine.ts';
import { FakeHomes } from '../support/game/fake-homes.ts';

const PLAYER = 'loader';

/** Plays what is chosen until nothing is; answers the wishes and what was refused. */
const playOut = async (seed: number, passMs: number): Promise<{ wishes: Wish[]; refused: unknown[] }> => {
  const homes = new FakeHomes();
  const chance = chanceOf(seed);
  const [wishes, refused]: [Wish[], unknown[]] = [[], []];
  for (let turn = 0; turn < 2_000; turn += 1) {
    const [view] = await homes.look([PLAYER]);
    const pets = view ? petsOf(view.home).map((pet) => shownPet(pet, homes.catalogue.levels)) : [];
    const wish = chooseCommand({ items: view?.home.items ?? {}, pets }, homes.catalogue, chance);
    if (!wish) return { wishes, refused };
    wishes.push(wish);
    const parsed = parseCommand(wish.type, { ...wish.payload, commandId: `command-${turn}` });
    if (!parsed.ok) throw new Error(`not a command: ${JSON.stringify(wish)}`);
    const [outcome] = await homes.handle([{ playerId: PLAYER, ...parsed.value }]);
    if (!outcome?.ok) refused.push({ wish, outcome });
    homes.nowMs += passMs;
  }
  throw new Error('a player never ran out of what a new player is given');
};

it('asks for nothing that the rules refuse to one who sees the newest state, until all is used up', async () => {
  // Too long for the undo, which would give the food back for ever.
  const pauses = fc.integer({ min: 10_001, max: 7_200_000 });
  await fc.assert(
    fc.asyncProperty(fc.nat(), pauses, async (seed, passMs) => {
      const { wishes, refused } = await playOut(seed, passMs);
      expect(refused).toEqual([]);
      expect(wishes[0]?.type).toBe('home:adopt');
    }),
    { numRuns: 50 },
  );
});

it('mixes all kinds of commands', async () => {
  const runs = await Promise.all(Array.from({ length: 20 }, (_, seed) => playOut(seed, 600_000)));
  const kinds = new Set(
    runs.flatMap(({ wishes }) => wishes.map(({ type, payload }) => `${type} ${payload.card ?? ''}`)),
  );

  expect([...kinds].sort()).toEqual([
    ...['home:adopt ', 'home:disarm ', 'home:feed ', 'home:stop '],
    ...['home:use-card auto-feed', 'home:use-card boost', 'home:use-card speed-up'],
  ]);
});

it('chooses the same with the same seed, and something else with another', async () => {
  const [first, again, other] = await Promise.all([playOut(7, 600_000), playOut(7, 600_000), playOut(8, 600_000)]);

  expect(again.wishes).toEqual(first.wishes);
  expect(other.wishes).not.toEqual(first.wishes);
});
