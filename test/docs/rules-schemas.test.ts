import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defaultCatalogue } from '../../shared/pets/catalogue.ts';

const root = path.join(import.meta.dirname, '../..');
const jsonOf = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
const works = z.fromJSONSchema(jsonOf('docs/schemas/works.schema.json'));
const pets = z.fromJSONSchema(jsonOf('docs/schemas/pets.schema.json'));

const game = z.fromJSONSchema(jsonOf('docs/schemas/game.schema.json'));

describe('the JSON Schema of a rules file', () => {
  it.each(readdirSync(path.join(root, 'examples/works')))('knows all of %s', (file) => {
    expect(works.safeParse(jsonOf(`examples/works/${file}`)).error).toBeUndefined();
  });

  it('knows all that the pets\u2019 default rules have, and times in words', () => {
    expect(pets.safeParse(JSON.parse(JSON.stringify(defaultCatalogue))).error).toBeUndefined();
    expect(pets.safeParse({ foods: { hay: { workMs: '4h', xp: 1 } }, limits: { undoMs: 0 } }).error).toBeUndefined();
  });

  it('knows a game of pets and works', () => {
    expect(game.safeParse(jsonOf('examples/support/rules-in-seconds.json')).error).toBeUndefined();
    expect(pets.safeParse(jsonOf('examples/support/rules-in-seconds.json')).success).toBe(false);
  });

  it.each([
    ['a misspelt part', works, { things: {}, activities: {}, activties: {} }],
    ['an activity on nothing', works, { things: {}, activities: { dig: { on: [] } } }],
    ['a time without a unit', works, { things: {}, activities: { dig: { on: ['plot'], workMs: 'soon' } } }],
    ['a rate that is none', works, { things: {}, activities: {}, cards: { fast: { effect: 'rate', rate: 1 } } }],
    ['half an animal', pets, { limits: { petsPerPlayer: 0.5 } }],
    ['food that takes no time', pets, { foods: { hay: { workMs: 0, xp: 1 } } }],
  ])('refuses %s', (_, schema, rules) => {
    expect(schema.safeParse(rules).success).toBe(false);
  });
});
