import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { explanationOf, idleExplanations } from './record/explained.ts';
import { mutatedRooms } from './record/mutated-rooms.ts';
import { readResult } from './record/results.ts';
import { scoreOf } from './record/score.ts';

const WANTED_PERCENT = 90;
const page = readFileSync(path.join(import.meta.dirname, '../../docs/record/mutation.md'), 'utf8');
const survivors = mutatedRooms.flatMap(({ name }) =>
  Object.entries(readResult(name)).flatMap(([file, result]) => result.survivors.map((one) => ({ file, ...one }))),
);
const tried = mutatedRooms.map(({ name }) => name).filter((name) => Object.keys(readResult(name)).length > 0);

describe.each(tried)('the mutants of %s', (name) => {
  it(`are noticed by quick tests, ${WANTED_PERCENT} % of them at least`, () => {
    expect(scoreOf(readResult(name)).percent).toBeGreaterThanOrEqual(WANTED_PERCENT);
  });

  it('stand in docs/record/mutation.md with the day and the commit of their run', () => {
    expect(page).toMatch(new RegExp(`^\\| \`${name}\` .* \\d{4}-\\d\\d-\\d\\d at [0-9a-f]{7,} \\|$`, 'm'));
  });
});

it('each mutant that survived is explained, and nothing else is', () => {
  const open = survivors.filter(({ file, ...survivor }) => explanationOf(file, survivor) === undefined);
  expect(open).toEqual([]);
  const isSurvivor = (some: { readonly file: string; readonly was: string; readonly is?: string }): boolean =>
    survivors.some(({ file, was, is }) => file === some.file && was === some.was && is === (some.is ?? is));
  expect(idleExplanations(isSurvivor)).toEqual([]);
});
