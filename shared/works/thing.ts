import { z } from 'zod';
import type { Frozen } from '../home.ts';
import { addItems, type Items } from '../items.ts';

const whole = z.int().min(0);
const instant = z.int().min(0);
const items = z.record(z.string(), whole);
export const boost = z.strictObject({ rate: z.int(), endsAtMs: instant });

/** Ranges from which an amount is drawn at the end. */
const ranges = z.record(z.string(), z.tuple([whole, whole]).readonly());
/** One of these, drawn by weight; an entry with `atLatest` comes at that draw at the latest. */
const oneOf = z.strictObject({
  name: z.string(),
  of: z
    .array(
      z.strictObject({ weight: whole, gives: items, ranges: ranges.optional(), atLatest: z.int().min(1).optional() }),
    )
    .readonly(),
});

/** An activity as it was ordered: everything needed to end it, whatever the rules say by then. */
export const orderShape = z.strictObject({
  activity: z.string(),
  workMs: z.int().min(1),
  takes: items,
  gives: items,
  ranges: ranges.optional(),
  oneOf: oneOf.optional(),
  /** The increase of the thing's level. */
  levels: whole,
  /** The slot of a running order. There are `base` slots, and one for each `item` in stock. */
  slot: z.strictObject({ name: z.string(), base: whole, item: z.string().optional() }).optional(),
  /** It starts only while the stock of each is lower. */
  below: items.optional(),
  /** At its end the thing holds the gains until a player collects them. */
  isCollected: z.boolean(),
  /** It goes on while the thing holds fewer ends. */
  holds: whole.optional(),
  /** The thing is removed after its end. */
  isConsumed: z.boolean(),
  /** It starts again by itself after its end. */
  isAuto: z.boolean(),
  /** It did, and does so again if the rules repeat it again before its last end. */
  wasAuto: z.literal(true).optional(),
  /** Repeat cards may be played on it. */
  isRepeatable: z.boolean(),
  /** The share of the taken items that a cancel gives back while it runs, in ten-thousandths. */
  givesBack: whole,
});

/** Repeat cards played together: how often one repeats, and how often these still do. The first may be partly used. */
const armed = z.array(z.strictObject({ card: z.string(), times: z.int(), left: z.int() }));

/** An auto order's next numbers: the rules or its level have changed since it was ordered. */
const next = orderShape.optional();

const task = z.discriminatedUnion('state', [
  /** It waits for a slot, items, or a lower stock. `isPaid`: its items were taken. */
  z.strictObject({ state: z.literal('waits'), order: orderShape, sinceMs: instant, isPaid: z.boolean(), armed }),
  z.strictObject({
    state: z.literal('runs'),
    order: orderShape,
    run: z.string(),
    work: z.strictObject({ leftMs: whole, sinceAtMs: instant }),
    armed,
    next,
  }),
  z.strictObject({ state: z.literal('holds'), order: orderShape, next }),
]);

const thing = z.strictObject({
  /** Its name in the rules. */
  name: z.string(),
  level: whole,
  /** Its work; missing: it rests. */
  task: task.optional(),
  boost: boost.optional(),
  /** Gains of ends with `holds`, or drawn gains, until they are collected. */
  held: z.strictObject({ ends: whole, items, levels: whole }).optional(),
});

/** A thing of `works`: a hall, a plot, a chest. */
export type WorksThing = Frozen<z.infer<typeof thing>>;
/** A thing's work: it waits, runs, or holds gains for a player to collect. */
export type Task = Frozen<z.infer<typeof task>>;
export type Waiting = Extract<Task, { state: 'waits' }>;
export type Running = Extract<Task, { state: 'runs' }>;
export type Order = Frozen<z.infer<typeof orderShape>>;
export type ArmedCard = Waiting['armed'][number];
export type WorksThings = Readonly<Record<string, WorksThing | undefined>>;

export const worksThing: z.ZodType<WorksThing, object> = thing;

export const initialThing: WorksThing = { name: '', level: 0 };

export const runningOf = ({ task }: WorksThing): Running | undefined => (task?.state === 'runs' ? task : undefined);
export const waitingOf = ({ task }: WorksThing): Waiting | undefined => (task?.state === 'waits' ? task : undefined);

/** The gains of a collect; undefined: there is nothing to collect. */
export const heldBy = ({ task, held }: WorksThing): Pick<Order, 'gives' | 'levels'> | undefined => {
  if (held) return { gives: held.items, levels: held.levels };
  return task?.state === 'holds' ? task.order : undefined;
};

export const nextOrder = (task: Task): Order => (task.state === 'waits' ? task.order : (task.next ?? task.order));

/** Unused repeat cards: those that come back. */
export const unusedCards = (cards: readonly ArmedCard[]): Items =>
  cards.reduce<Items>((sum, { card, times, left }) => addItems(sum, { [card]: Math.floor(left / times) }), {});

export const repeatsOf = (cards: readonly ArmedCard[]): number => cards.reduce((sum, { left }) => sum + left, 0);
