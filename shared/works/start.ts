import { addItems, countable, countOf, type Items } from '../items.ts';
import { isBeyondTheClock } from '../latest-ms.ts';
import type { ByChance, Scene, Turn } from '../module/module.ts';
import { dueAtMs } from '../work.ts';
import type { WorksDraft } from './contract.ts';
import { drawnBy, withDrawn } from './draw.ts';
import {
  nextOrder,
  type Order,
  runningOf,
  type Waiting,
  type WorksThing,
  type WorksThings,
  waitingOf,
} from './thing.ts';

type Slot = Order['slot'];

/** Whether a slot is free: only a running order uses one. An order without a slot needs none. */
export const isFree = (slot: Slot, scene: Pick<Scene<WorksThing>, 'things' | 'items' | 'nextSeq'>): boolean => {
  if (!slot) return true;
  return runningIn(slot.name, scene) < sizeOf(slot, scene.items);
};

/** How many orders of a slot may run. */
export const sizeOf = ({ base, item }: NonNullable<Slot>, items: Items): number =>
  base + (item === undefined ? 0 : countOf(items, item));

/** Called for every waiting order after each event: one count serves all of them until the next event. */
const runningIn = (slot: string, { things, nextSeq }: Pick<Scene<WorksThing>, 'things' | 'nextSeq'>): number => {
  let counted = runningBySlot.get(things);
  if (counted?.nextSeq !== nextSeq) {
    counted = { nextSeq, counts: new Map() };
    const { counts } = counted;
    for (const id in things) {
      const name = things[id] && runningOf(things[id])?.order.slot?.name;
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    runningBySlot.set(things, counted);
  }
  return counted.counts.get(slot) ?? 0;
};

const runningBySlot = new WeakMap<WorksThings, { readonly nextSeq: number; readonly counts: Map<string, number> }>();

/** All orders that wait for a slot of this name, in order. */
export const lineFor = (slot: string, things: WorksThings): readonly (readonly [id: string, waits: Waiting])[] =>
  Object.entries(things)
    .flatMap(([id, thing]) => {
      const waits = thing && waitingOf(thing);
      return waits?.order.slot?.name === slot ? [[id, waits] as const] : [];
    })
    .sort(([id, one], [otherId, other]) => one.sinceMs - other.sinceMs || (id < otherId ? -1 : 1));

/** The waiting time of a new order: behind all others, also those of the same millisecond. */
export const lastInLine = ({ slot }: Order, things: WorksThings, nowMs: number): number =>
  slot ? lineFor(slot.name, things).reduce((lastMs, [, { sinceMs }]) => Math.max(lastMs, sinceMs + 1), nowMs) : nowMs;

export const lacks = (items: Items, takes: Items): boolean =>
  Object.entries(takes).some(([item, count]) => countOf(items, item) < count);

export const dueIfStarted = ({ workMs }: Order, { boost }: Pick<WorksThing, 'boost'>, nowMs: number): number =>
  dueAtMs({ leftMs: workMs, sinceAtMs: nowMs }, boost);

const isLow = (items: Items, below: Items = {}): boolean =>
  Object.entries(below).every(([item, cap]) => countOf(items, item) < cap);

/** Starts a waiting order if it has a slot, its items, and a stock below its bound. No events: it goes on waiting. */
export const goOn = (turn: Turn<WorksThing>): readonly WorksDraft[] => {
  const waits = waitingOf(turn.thing);
  if (!waits) return [];
  const { slot, below } = waits.order;
  return isFree(slot, turn) && isLow(turn.items, below) ? started(turn, waits, turn.nextSeq) : [];
};

/** A run that begins now; empty if its items are missing, or the clock ends before it. `seq` is its event's. */
export const started = (
  { id, thing, items, nowMs }: Turn<WorksThing>,
  { order, isPaid, armed }: Pick<Waiting, 'order' | 'isPaid' | 'armed'>,
  seq: number,
): readonly WorksDraft[] => {
  const takes = isPaid ? {} : order.takes;
  const dueAt = dueIfStarted(order, thing, nowMs);
  if (lacks(items, takes) || isBeyondTheClock(dueAt)) return [];
  const [first] = armed;
  return [
    {
      type: 'started',
      thing: id,
      activity: order.activity,
      run: `r${seq}`,
      dueAt,
      ...(first && { card: first.card }),
      ...moved(less(takes)),
    },
  ];
};

export const less = (items: Items): Items =>
  Object.fromEntries(Object.entries(items).flatMap(([item, count]) => (count === 0 ? [] : [[item, -count]])));

/** An event that moves no items has no `items`. */
export const moved = (items: Items): { readonly items?: Items } => (Object.keys(items).length > 0 ? { items } : {});

/** Ends a due run: it gives its gains, and an order that goes on starts at this instant. */
export const complete = (turn: Turn<WorksThing> & ByChance): readonly WorksDraft[] => {
  const { id, thing, things, items, nowMs, nextSeq } = turn;
  const task = runningOf(thing);
  if (!task) return [];
  const { order, armed } = task;
  // Newer rules may have ended the repetition.
  const isRepeated = nextOrder(task).isAuto;
  const chance = drawnBy(order, turn);
  const done = { type: 'finished', thing: id, activity: order.activity, run: task.run, ...chance } as const;
  if (order.isCollected) {
    const goesOn = isRepeated && (thing.held?.ends ?? 0) + 1 < (order.holds ?? 1);
    return [goesOn ? { ...done, waitsSinceMs: nowMs } : done];
  }
  // A consumed thing gives the held items of its earlier ends, too.
  const held = (order.isConsumed && thing.held?.items) || {};
  const gives = countable(items, withDrawn(addItems(order.gives, held), chance?.drawn.items));
  const given = { ...done, ...givenBy(thing, { ...order, gives }) };
  if (isRepeated) return [{ ...given, waitsSinceMs: nowMs }];
  if (armed.length === 0) return [given];
  // It retains its slot: no other order is asked in between.
  const next = started({ ...turn, items: addItems(items, gives) }, { order, isPaid: false, armed }, nextSeq + 1);
  const waitsSinceMs = next.length > 0 ? nowMs : lastInLine(order, things, nowMs);
  return [{ ...given, waitsSinceMs }, ...next];
};

/** The gains of an ended run. */
export const givenBy = ({ level }: WorksThing, { gives, levels }: Pick<Order, 'gives' | 'levels'>) => ({
  ...(levels > 0 && { level: level + levels }),
  ...moved(gives),
});
