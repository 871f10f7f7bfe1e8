import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutatedRooms } from './record/mutated-rooms.ts';
import { explainedAs, type FileResult, ofToday, readResult, readResults, scoreOf } from './record/results.ts';

const WANTED_PERCENT = 90;
const page = readFileSync(path.join(import.meta.dirname, '../../docs/record/mutation.md'), 'utf8');
const tried = mutatedRooms.map(({ name }) => name).filter((name) => Object.keys(readResult(name)).length > 0);

describe.each(tried)('the mutants of %s', (name) => {
  it(`are noticed by quick tests, ${WANTED_PERCENT} % of them at least`, () => {
    expect(scoreOf(readResult(name)).percent).toBeGreaterThanOrEqual(WANTED_PERCENT);
  });

  it('stand in docs/record/mutation.md with the day and the commit of their run', () => {
    expect(page).toMatch(new RegExp(`^\\| \`${name}\` .* \\d{4}-\\d\\d-\\d\\d at [0-9a-f]{7,} \\|$`, 'm'));
  });

  it('are explained, each that survived (cure: a `why` in docs/record/mutants.json)', () => {
    const survivors = Object.values(readResult(name)).flatMap((result) => result.survivors);
    expect(survivors.filter(({ why = '' }) => why === '')).toEqual([]);
  });
});

describe('the record', () => {
  it('names only files of their rooms (cure: `npm run mutate -- server/timer/model` removes the others)', () => {
    const filesIn = (results: ReturnType<typeof readResults>) => Object.values(results).flatMap(Object.keys);
    expect(filesIn(readResults())).toEqual(filesIn(ofToday(readResults())));
  });

  it('loses a file that is gone, one that is in another room, and a room that is gone', () => {
    const result: FileResult = { madeOn: '2026-01-01', commit: 'abc', killed: 1, timeouts: 0, survivors: [] };
    const shared = { 'shared/home.ts': result };
    const others = { 'shared/gone.ts': result, 'server/domain/decide.ts': result };
    expect(ofToday({ shared: { ...others, ...shared }, gone: shared })).toEqual({ shared });
  });
});

it('a mutant that survives again keeps its explanation; one that is noticed now, or is new, has none', () => {
  const mutant = { line: 1, mutator: 'a', was: 'x < 1', is: 'x <= 1' };
  const found = (survivors: FileResult['survivors']): FileResult => ({
    ...{ madeOn: '2026-01-01', commit: 'abc', killed: 1, timeouts: 0 },
    survivors,
  });
  const before = { 'a.ts': found([{ ...mutant, why: 'the same' }]), 'b.ts': found([{ ...mutant, why: 'gone' }]) };
  const again = {
    'a.ts': found([
      { ...mutant, line: 7 },
      { ...mutant, is: 'true' },
    ]),
    'b.ts': found([]),
  };

  expect(explainedAs(before, again)).toEqual({
    'a.ts': found([
      { ...mutant, line: 7, why: 'the same' },
      { ...mutant, is: 'true' },
    ]),
    'b.ts': found([]),
  });
});
