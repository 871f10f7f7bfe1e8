import { describe, expect, it } from 'vitest';
import type { GameHome, TownEvent, TownThing } from '../../../client/page/game/modules.ts';
import { tellTown } from '../../../client/page/game/tell-town.ts';
import {
  costOf,
  lackOf,
  movedIn,
  nameOfThing,
  needOf,
  needsAt,
  opensInMs,
  slotsOf,
  townThings,
} from '../../../client/page/game/town.ts';
import { quoteOf } from '../../../client/page/town/card-quote.ts';
import { viewOf } from '../../../client/page/town/thing-view.ts';
import { en } from '../../../client/page/words/en.ts';
import { formatsOf } from '../../../client/page/words/formats.ts';
import { parseWorksRules } from '../../../shared/works/rules-file.ts';

const parsed = parseWorksRules({
  things: { hall: { limit: 1 }, plot: { limit: 3 } },
  slots: { builders: { base: 2, item: 'builder', queue: 3 } },
  activities: {
    upgrade: {
      on: ['hall'],
      slot: 'builders',
      workMs: ['1m', '1h'],
      takes: [{ wood: 10 }, { wood: 20 }],
      gives: { level: 1 },
    },
    wheat: { on: ['plot'], workMs: '30m', takes: { seed: 1 }, gives: { wheat: 3 }, needs: { hall: 1 } },
  },
});
if (!parsed.ok) throw new Error(parsed.error.join());
const rules = parsed.value;
const { upgrade, wheat } = rules.activities;
if (!upgrade || !wheat) throw new Error('two activities');

type State = TownThing['state'];
type Task = NonNullable<State['task']>;
const order: Task['order'] = {
  activity: 'upgrade',
  workMs: 60_000,
  takes: { wood: 10 },
  gives: {},
  levels: 1,
  slot: { name: 'builders', base: 2 },
  isCollected: false,
  isConsumed: false,
  isAuto: false,
  isRepeatable: false,
  givesBack: 0,
};
const runs = (sinceAtMs: number): Task => ({
  state: 'runs',
  order,
  run: 'ann~r3',
  work: { leftMs: 60_000, sinceAtMs },
  armed: [],
});
const waits = (sinceMs: number): Task => ({ state: 'waits', order, sinceMs, isPaid: true, armed: [] });
const thing = (id: string, state: Partial<State>, dueAt = 0): TownThing => ({
  id,
  version: 1,
  dueAt,
  state: { name: 'plot', level: 0, ...state },
});
const homeOf = (items: Readonly<Record<string, number>>, ...things: readonly TownThing[]): GameHome => ({
  playerId: 'ann',
  epoch: 'e',
  seq: 1,
  items,
  things: { town: Object.fromEntries(things.map((one) => [one.id, one])) },
});

describe('the town as the page shows it', () => {
  const formats = formatsOf(en);
  const home = homeOf({}, thing('ann~t10', {}), thing('hall', { name: 'hall' }), thing('ann~t9', {}));

  it('has its things as the rules list them, those of a name in the order in which they came', () => {
    expect(townThings(home, rules).map(({ id }) => id)).toEqual(['hall', 'ann~t9', 'ann~t10']);
  });

  it('numbers those of which there may be several', () => {
    const named = (id: string) => nameOfThing(id, { home, rules, words: en, formats });
    expect(['hall', 'ann~t9', 'ann~t10'].map(named)).toEqual(['Hall', 'Plot 1', 'Plot 2']);
  });

  it('knows what an activity takes at each level, and that the lists end', () => {
    expect([0, 1, 2].map((level) => costOf(upgrade, level))).toEqual([
      { workMs: 60_000, takes: { wood: 10 } },
      { workMs: 3_600_000, takes: { wood: 20 } },
      undefined,
    ]);
    expect(costOf(wheat, 7)).toEqual({ workMs: 1_800_000, takes: { seed: 1 } });
  });

  it('knows what is missing', () => {
    expect(lackOf({ wood: 2, gold: 3 }, { wood: 2, gold: 1 })).toEqual({ item: 'gold', have: 1, need: 3 });
    expect(lackOf({ wood: 2 }, { wood: 2 })).toBeUndefined();
    expect(needOf({ ...needsAt(wheat, 3), items: { xp: 5 } }, [thing('hall', { name: 'hall', level: 0 })])).toEqual({
      name: 'hall',
      level: 1,
    });
    expect(
      needOf({ ...needsAt(wheat, 3), items: { xp: 5 } }, [thing('hall', { name: 'hall', level: 1 })]),
    ).toBeUndefined();
  });

  it('knows how long an activity is closed yet, and that one may never open again', () => {
    const told = { ...rules, opensAt: { 'activities.wheat': 5000, 'activities.upgrade': null, 'cards.upgrade': 9000 } };
    const inMs = (activity: string, nowMs: number) => opensInMs(told, activity, nowMs);
    expect([inMs('wheat', 2000), inMs('wheat', 4999), inMs('wheat', 5000)]).toEqual([3000, 1, undefined]);
    expect([inMs('upgrade', 2000), inMs('brew', 2000), opensInMs(rules, 'wheat', 0)]).toEqual([
      null,
      undefined,
      undefined,
    ]);
  });

  it('counts those who work, with the hired ones, and has those who wait in their order', () => {
    const things = [
      thing('a', { task: runs(0) }),
      thing('b', { task: waits(20) }),
      thing('c', { task: waits(10) }),
      thing('d', {}),
    ];
    const [builders] = slotsOf(rules, homeOf({ builder: 1 }), things);
    expect(builders).toEqual({ name: 'builders', all: 3, busy: 1, queue: ['c', 'b'] });
  });

  it('moves one of the queue past another, and no further than its ends', () => {
    expect(movedIn(['a', 'b', 'c'], 1, -1)).toEqual(['b', 'a', 'c']);
    expect(movedIn(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'c', 'b']);
    expect(movedIn(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'b', 'c']);
  });

  it('shows what runs up to its due time, and never ends it', () => {
    const at = (nowMs: number) => viewOf(thing('a', { task: runs(1000) }, 61_000), nowMs);
    expect(at(1000)).toEqual({ mood: 'runs', leftMs: 60_000, done: 0, boostLeftMs: 0 });
    expect(at(31_000)).toMatchObject({ leftMs: 30_000, done: 0.5 });
    expect(at(99_000)).toMatchObject({ mood: 'runs', leftMs: 0, done: 1 });
    expect(viewOf(thing('a', {}), 5)).toMatchObject({ mood: 'rests', leftMs: 0 });
  });

  it('shows what rests and holds gains as to be collected', () => {
    const held = { ends: 1, items: { wheat: 3 }, levels: 0 };
    expect(viewOf(thing('a', { held }), 5)).toMatchObject({ mood: 'holds', leftMs: 0 });
    expect(viewOf(thing('a', { held, task: waits(1) }), 5)).toMatchObject({ mood: 'waits' });
  });
});

describe('the quote of a card', () => {
  it('is what the server says that it would do', () => {
    const used = { v: 1, at: 5, type: 'town/card-used', count: 3, dueAt: 5, workLeftMs: 0 };
    expect(quoteOf({ events: [used] })).toEqual({ count: 3, dueAt: 5, isDone: true, wastedMs: 0, boost: undefined });
    expect(quoteOf({ events: [] })).toBeUndefined();
  });
});

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
