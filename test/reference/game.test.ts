import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKibble } from '../../server/kibble.ts';
import { gameOf } from '../../server/reference/game.ts';
import { defaultCatalogue } from '../../shared/pets/catalogue.ts';
import { handCrankedGame } from '../support/game/hand-cranked-game.ts';

const inSeconds: unknown = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../examples/support/rules-in-seconds.json'), 'utf8'),
);

/** A player of the game after one command. */
const playerOf = async (json: unknown) => {
  const { modules } = gameOf(json);
  const { kibble } = await handCrankedGame('', (host) => ({
    kibble: createKibble({ ...host, playerId: ({ sub }) => sub, modules }),
  }));
  const payload = { commandId: 'command-1', name: 'Rex', species: 'dog' };
  const [outcome] = await kibble.homes.handle([{ playerId: 'ann', type: 'home:adopt', payload }]);
  const [looked] = await kibble.homes.look(['ann']);
  return { first: outcome?.ok ? outcome.value.events[0] : undefined, items: looked?.home?.items };
};

describe('the reference game', () => {
  it('has what a rules file says: pets, and the works where it has such a part', () => {
    const names = (json: unknown) => gameOf(json).modules.map(({ name }) => name);
    expect(names({})).toEqual(['pets']);
    expect(gameOf({})).toMatchObject({ works: {}, retired: ['town'] });
    expect(names(inSeconds)).toEqual(['pets', 'town']);
    expect(gameOf(inSeconds).works.town?.activities.wheat).toMatchObject({ workMs: 8000, takes: { seed: 1 } });
  });

  it('is the example without a rules file: pets and a town', () => {
    const { modules, works } = gameOf(undefined);
    expect(modules.map(({ name }) => name)).toEqual(['pets', 'town']);
    expect(Object.keys(works.town?.things ?? {})).toEqual(['hall', 'plot', 'chest']);
  });

  it('gives the starter items of both parts in one event', async () => {
    const { first, items } = await playerOf({ works: Object(inSeconds).works });
    expect(first).toMatchObject({ seq: 2, type: 'pet-adopted' });
    expect(items).toEqual({ ...defaultCatalogue.starter.items, ...Object(inSeconds).works.starter.items });
  });

  it('refuses a rules file with all faults of both parts at once', () => {
    const json = {
      levels: [0, 5, 5],
      works: { things: { hall: {} }, activities: { build: { on: ['mill'], workMs: 'soon' } }, gold: 1 },
    };
    const faults = [
      /levels must ascend/,
      /works: activities\.build\.workMs/,
      /works: .*mill is none of things/,
      /works: .*gold/,
    ];
    for (const fault of faults) expect(() => gameOf(json)).toThrow(fault);
  });

  it.each(['works', 1, null, []])('refuses %j where an object belongs', (json) => {
    expect(() => gameOf(json)).toThrow('the rules are refused');
  });
});
