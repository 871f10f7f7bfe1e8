import { describe, expect, it } from 'vitest';
import { linesOf } from '../../ops/acts/act.ts';
import { placeIn } from '../../ops/rules/place-in.ts';
import { jobFilter } from '../../shared/ops/job-filter.ts';

const text = `{
  "foods": { "bone": { "workMs": "1h", "xp": -1 }, "odd \\"name\\"": {} },
  "levels": [0, [1, 2], { "a": true }],
  "empty": {}, "none": [], "text": "{[,:]}\\\\"
}`;

const shown = (path: string, json = text): string | undefined => {
  const place = placeIn(json, path);
  return place && json.slice(place.start, place.end);
};

describe('the place of a fault', () => {
  it.each([
    ['foods.bone.xp', '-1'],
    ['foods.bone', '{ "workMs": "1h", "xp": -1 }'],
    ['foods.odd "name"', '{}'],
    ['levels.0', '0'],
    ['levels.1.1', '2'],
    ['levels.2.a', 'true'],
    ['empty', '{}'],
    ['none', '[]'],
    ['text', '"{[,:]}\\\\"'],
  ])('%s is found in the text', (path, value) => {
    expect(shown(path)).toBe(value);
  });

  it('that is missing is in what it should stand in, and of the whole it is nowhere', () => {
    expect(shown('foods.bone.price.gold')).toBe('{ "workMs": "1h", "xp": -1 }');
    expect(shown('rules')).toBeUndefined();
    expect(shown('')).toBeUndefined();
    expect(shown('any', '3')).toBeUndefined();
  });

  it('is found without spaces as well', () => {
    expect(shown('levels.2.a', JSON.stringify(JSON.parse(text)))).toBe('true');
  });
});

it('takes players between any separators, and never all players for a field with separators alone', () => {
  expect(linesOf('ann, bea\n\ncid')).toEqual(['ann', 'bea', 'cid']);
  expect(linesOf('')).toBeUndefined();
  for (const text of [' ', ',', '\n, ']) {
    expect(linesOf(text)).toEqual([]);
    expect(jobFilter.safeParse({ playerIds: linesOf(text) }).success).toBe(false);
  }
});
