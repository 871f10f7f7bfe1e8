import { z } from 'zod';
import type { Frozen } from '../home.ts';
import { addItems, type Items } from '../items.ts';

const whole = z.int().min(0);
const instant = z.int().min(0);
const items = z.record(z.string(), whole);
export const boost = z.strictObject({ rate: z.int(), endsAtMs: instant });

/** What is drawn at the end: from the one to the other. */
const ranges = z.record(z.string(), z.tuple([whole, whole]).readonly());
/** One of these, drawn by weight; what has an `atLatest` comes at the latest with that draw. */
const oneOf = z.strictObject({
  name: z.string(),
  of: z
    .array(
      z.strictObject({ weight: whole, gives: items, ranges: ranges.optional(), atLatest: z.int().min(1).optional() }),
    )
    .readonly(),
});

/** An activity as it was ordered: all that is needed to end it, whatever the rules say by then. */
export const order = z.strictObject({
  activity: z.string(),
  workMs: z.int().min(1),
  takes: items,
  gives: items,
  ranges: ranges.optional(),
  oneOf: oneOf.optional(),
  /** By how much the thing's level rises. */
  levels: whole,
  /** What it holds while it runs. There are `base` of them, and one for each `item` in stock. */
  slot: z.strictObject({ name: z.string(), base: whole, item: z.string().optional() }).optional(),
  /** It starts while there is less of each in stock. */
  below: items.optional(),
  /** At its end the thing holds what it gives, until somebody collects. */
  isCollected: z.boolean(),
  /** It runs on while the thing holds fewer ends than that. */
  holds: whole.optional(),
  /** After its end the thing is gone. */
  isConsumed: z.boolean(),
  /** After its end it starts by itself. */
  isAuto: z.boolean(),
  /** Repeat cards may be played on it. */
  isRepeatable: z.boolean(),
  /** How much of what was taken a cancel gives back while it runs, in ten thousandths. */
  givesBack: whole,
});

/** Repeat cards played together: how often one repeats, and how often these still do. The first may be used in part. */
const armed = z.array(z.strictObject({ card: z.string(), times: z.int(), left: z.int() }));

/** What is auto goes on by that: rules have changed since it was ordered, or its level has. */
const next = order.optional();

const task = z.discriminatedUnion('state', [
  /** For a slot, for items, or for a stock that is low enough. `isPaid`: what it takes was taken. */
  z.strictObject({ state: z.literal('waits'), order, sinceMs: instant, isPaid: z.boolean(), armed }),
  z.strictObject({
    state: z.literal('runs'),
    order,
    run: z.string(),
    work: z.strictObject({ leftMs: whole, sinceAtMs: instant }),
    armed,
    next,
  }),
  z.strictObject({ state: z.literal('holds'), order, next }),
]);

const thing = z.strictObject({
  /** Which one of the rules' things it is. */
  name: z.string(),
  level: whole,
  /** What it does; missing: it rests. */
  task: task.optional(),
  boost: boost.optional(),
  /** What ends of an order with `holds` gave, or what was drawn, until it is collected. */
  held: z.strictObject({ ends: whole, items, levels: whole }).optional(),
});

/** A thing of `works`: a hall, a plot, a chest. */
export type WorksThing = Frozen<z.infer<typeof thing>>;
/** What a thing does: it waits, it runs, or it holds what somebody is to collect. */
export type Task = Frozen<z.infer<typeof task>>;
export type Waiting = Extract<Task, { state: 'waits' }>;
export type Running = Extract<Task, { state: 'runs' }>;
export type Order = Frozen<z.infer<typeof order>>;
export type ArmedCard = Waiting['armed'][number];
export type WorksThings = Readonly<Record<string, WorksThing | undefined>>;

export const worksThing: z.ZodType<WorksThing, object> = thing;

export const initialThing: WorksThing = { name: '', level: 0 };

/** Own entries only, as with items: `constructor` is no thing. */
export const entryOf = <Entry>(table: Readonly<Record<string, Entry>>, name: string): Entry | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const runningOf = ({ task }: WorksThing): Running | undefined => (task?.state === 'runs' ? task : undefined);
export const waitingOf = ({ task }: WorksThing): Waiting | undefined => (task?.state === 'waits' ? task : undefined);

/** What a collect gives; undefined: nothing waits for one. */
export const heldBy = ({ task, held }: WorksThing): Pick<Order, 'gives' | 'levels'> | undefined => {
  if (held) return { gives: held.items, levels: held.levels };
  return task?.state === 'holds' ? task.order : undefined;
};

export const nextOrder = (task: Task): Order => (task.state === 'waits' ? task.order : (task.next ?? task.order));

/** Repeat cards of which nothing was used yet: those that come back. */
export const wholeCards = (cards: readonly ArmedCard[]): Items =>
  cards.reduce<Items>((sum, { card, times, left }) => addItems(sum, { [card]: Math.floor(left / times) }), {});

export const repeatsOf = (cards: readonly ArmedCard[]): number => cards.reduce((sum, { left }) => sum + left, 0);
