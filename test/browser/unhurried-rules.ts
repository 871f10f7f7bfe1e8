import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const inSeconds = path.resolve(import.meta.dirname, '../../examples/support/rules-in-seconds.json');

/**
 * Writes the rules of `npm run play` with more time, and returns their file: a meal of twenty minutes ends when the
 * test plays two speed-up cards, and not while a busy machine still opens a dialog. The second card may waste a quarter
 * of its ten minutes: so long may the page take from the meal's start. A snack and wheat take 20 seconds, for what ends
 * by itself.
 */
export const unhurriedRules = (folder: string): string => {
  const { limits, foods, cards, works, ...rest } = JSON.parse(readFileSync(inSeconds, 'utf8'));
  const { upgrade, enlarge, wheat, open } = works.activities;
  const rules = {
    ...rest,
    limits: { ...limits, undoMs: 30_000 },
    foods: { 'dog-food': { ...foods['dog-food'], workMs: '20m' }, snack: { ...foods.snack, workMs: '20s' } },
    cards: {
      ...cards,
      'speed-up': { ...cards['speed-up'], workMs: '10m' },
      boost: { ...cards.boost, lastsMs: '8m' },
    },
    works: {
      ...works,
      activities: {
        upgrade: { ...upgrade, workMs: ['10m', '20m', '40m', '1h'] },
        enlarge: { ...enlarge, workMs: ['12m', '24m'] },
        wheat: { ...wheat, workMs: '20s' },
        open: { ...open, workMs: '15m' },
      },
      cards: {
        ...works.cards,
        gem: { ...works.cards.gem, msEach: '5m' },
        'speed-up': { ...works.cards['speed-up'], workMs: '6m' },
        boost: { ...works.cards.boost, lastsMs: '8m' },
      },
    },
  };
  const file = path.join(folder, 'rules.json');
  writeFileSync(file, JSON.stringify(rules));
  return file;
};
