import { expect, it } from 'vitest';
import type { TownEvent } from '../../../client/page/game/modules.ts';
import { tellTown } from '../../../client/page/game/tell-town.ts';
import { en } from '../../../client/page/words/en.ts';
import { formatsOf } from '../../../client/page/words/formats.ts';

const facts = { words: en, formats: formatsOf(en), nameOf: () => 'Plot 2' };
const at = { v: 1, seq: 7, at: 1000, thing: 'ann~t4' } as const;
const told = (event: TownEvent) => tellTown(event, facts).map(({ text }) => text);

it('tells what ended, what level was reached, what was collected and what came back', () => {
  const finished = { ...at, type: 'town/finished', activity: 'wheat', run: 'ann~r5' } as const;
  expect(told(finished)).toEqual(['Plot 2: Sow wheat is done']);
  expect(told({ ...finished, activity: 'enlarge', level: 2 })).toEqual(['Plot 2 is now level 2!']);
  expect(told({ ...at, type: 'town/collected', activity: 'wheat', items: { wheat: 3 } })).toEqual([
    'Collected: 3 × Wheat',
  ]);
  expect(told({ ...at, type: 'town/cancelled', activity: 'enlarge', items: { wood: 10 } })).toEqual([
    'Back with you: 10 × Wood',
  ]);
});

it('only reads aloud what shows on the thing itself', () => {
  const [placed] = tellTown({ ...at, type: 'town/placed', name: 'plot' }, facts);
  expect(placed).toEqual({ kind: 'plain', text: 'Built: Plot', isSeen: true });
});

it('says nothing of an order of the queue, and of a cancel that gives nothing back', () => {
  expect(told({ ...at, type: 'town/reordered', waitsSinceMs: 5 })).toEqual([]);
  expect(told({ ...at, type: 'town/cancelled', activity: 'wheat' })).toEqual([]);
});
