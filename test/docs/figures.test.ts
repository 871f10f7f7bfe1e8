import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagesAsRecorded, picturesAsRecorded, recordedTargets } from '../../bench/figures/pages.ts';
import { digestOf } from '../../bench/figures/plots.ts';
import { recorded, spreadIn } from '../../bench/figures/scale.ts';
import { conclusionsOf, refutedBy } from '../../bench/figures/strategies-page.ts';
import { limitOf, limits } from '../../bench/figures/targets-page.ts';
import { recordedStrategies } from '../../bench/strategies/result/results.ts';

const images = path.join(import.meta.dirname, '../../docs/images');

it.each(pagesAsRecorded())('$file has the figures that were recorded (cure: npm run figures)', ({ file, text }) => {
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it.each(picturesAsRecorded())(
  'the picture $name shows the figures that were recorded (cure: npm run figures)',
  (data) => {
    expect(readFileSync(path.join(images, `${data.name}.svg`), 'utf8')).toContain(`data-figures="${digestOf(data)}"`);
  },
);

it.each(picturesAsRecorded())('the picture $name fetches nothing', ({ name }) => {
  const text = readFileSync(path.join(images, `${name}.svg`), 'utf8');
  expect(text.replaceAll('http://www.w3.org/', '')).not.toMatch(/https?:|@import|url\(|<script|<image|href=/);
});

it('says beside the composite that it is quicker one at a time, while the figures say so', () => {
  const p50 = (contender: string): number => spreadIn(recorded('composite'), contender, 'p50').median;
  const page = readFileSync(path.join(images, '../when-to-use.md'), 'utf8');

  expect(page.includes('one command at a time the composite is quicker')).toBe(
    p50('composite, one at a time') < p50('a card of ours, one at a time'),
  );
});

describe('docs/record/targets.md', () => {
  const missed = recordedTargets().filter(({ reached }) => reached !== 'yes');

  it('says of everything that is missed why (cure: bench/figures/limits.ts)', () => {
    expect(missed.filter((each) => limitOf(each) === undefined)).toEqual([]);
  });

  it('excuses nothing that is reached', () => {
    const used = new Set(missed.map(limitOf));
    expect(limits.filter((limit) => !used.has(limit))).toEqual([]);
  });
});

describe('a sentence of docs/record/strategies.md', () => {
  const strategies = recordedStrategies();

  it('stands there only while the figures bear it out', () => {
    const slow = strategies.measurements.map((each) =>
      each.contender === "Kibble's index in Redis" ? { ...each, figures: { ...each.figures, lateP50: 60_000 } } : each,
    );
    const period = /The period is the lateness/;

    expect(conclusionsOf({ ...strategies, measurements: slow }).some((text) => period.test(text))).toBe(false);
    expect(refutedBy({ ...strategies, measurements: slow }).some((text) => period.test(text))).toBe(true);
  });
});
