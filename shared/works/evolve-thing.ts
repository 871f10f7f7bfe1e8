import { addItems, countable, type Items } from '../items.ts';
import type { Happened, Rules } from '../module/module.ts';
import { omit } from '../omit.ts';
import type { WorksEvents } from './contract.ts';
import { withDrawn } from './draw.ts';
import { type ArmedCard, nextOrder, type Order, type Running, type Task, type WorksThing } from './thing.ts';

type EventOf<Type extends keyof WorksEvents> = Happened<WorksEvents, Type>;

/** A thing after an event. Uses no rules file: started work ends as it was ordered. */
export const evolveThing: Rules<WorksThing, WorksEvents, Record<never, never>>['evolve'] = {
  placed: (_, { name }) => ({ name, level: 0 }),
  ordered: (thing, { order, waitsSinceMs, isPaid }) => ({
    ...thing,
    task: { state: 'waits', order, sinceMs: waitsSinceMs, isPaid, armed: [] },
  }),
  started: (thing, { run, at, card }) => {
    const { task } = thing;
    if (task?.state !== 'waits') return thing;
    const { order, armed } = task;
    const work = { leftMs: order.workMs, sinceAtMs: at };
    return { ...thing, task: { state: 'runs', order, run, work, armed: card === undefined ? armed : lessOne(armed) } };
  },
  'card-used': cardUsed,
  finished: (thing, event) => {
    const { task } = thing;
    if (task?.state !== 'runs') return thing;
    const { order } = task;
    if (!order.isCollected) return ended(thing, task, event);
    const isKept = [order.holds, event.drawn, thing.held].some((part) => part !== undefined);
    const holding = isKept ? { ...thing, held: withOneMore(thing, order, event.drawn?.items) } : thing;
    return event.waitsSinceMs === undefined
      ? { ...holding, task: { state: 'holds', order, ...(task.next && { next: task.next }) } }
      : ended(holding, task, event);
  },
  done: (thing, { level = thing.level, isConsumed }) => (isConsumed ? undefined : { ...thing, level }),
  collected: (thing, event) => {
    const { task } = thing;
    const left = omit(thing, 'held');
    return task?.state === 'holds' ? ended(left, task, event) : { ...left, level: event.level ?? thing.level };
  },
  cancelled: (thing) => omit(thing, 'task'),
  renewed: (thing, { order }) => {
    const { task } = thing;
    return task ? { ...thing, task: task.state === 'waits' ? { ...task, order } : { ...task, next: order } } : thing;
  },
  reordered: (thing, { waitsSinceMs }) =>
    thing.task?.state === 'waits' ? { ...thing, task: { ...thing.task, sinceMs: waitsSinceMs } } : thing,
  removed: () => undefined,
  shifted: (thing, event) => working(thing, event, (task) => task),
};

const withOneMore = ({ held }: WorksThing, { gives, levels }: Order, drawn?: Items): WorksThing['held'] => ({
  ends: (held?.ends ?? 0) + 1,
  items: addItems(held?.items ?? {}, countable(held?.items ?? {}, withDrawn(gives, drawn))),
  levels: (held?.levels ?? 0) + levels,
});

/** The thing after an end gave its gains: removed, going on, or resting. */
const ended = (
  thing: WorksThing,
  task: Task,
  {
    level = thing.level,
    waitsSinceMs,
  }: { readonly level?: number | undefined; readonly waitsSinceMs?: number | undefined },
): WorksThing | undefined => {
  const { order } = task;
  if (order.isConsumed) return undefined;
  if (waitsSinceMs === undefined) return { ...omit(thing, 'task'), level };
  const armed = task.state === 'runs' ? task.armed : [];
  const next = { state: 'waits', order: nextOrder(task), sinceMs: waitsSinceMs, isPaid: false, armed } as const;
  return { ...thing, level, task: next };
};

function cardUsed(thing: WorksThing, event: EventOf<'card-used'>): WorksThing {
  const { card, count, times, boost } = event;
  const added = times === undefined ? [] : [{ card, times, left: times * count }];
  const played = working(thing, event, (task) => ({ ...task, armed: [...task.armed, ...added] }));
  return boost ? { ...played, boost } : played;
}

const working = (
  thing: WorksThing,
  { workLeftMs, at }: { readonly workLeftMs: number; readonly at: number },
  change: (task: Running) => Running,
): WorksThing => {
  const { task } = thing;
  if (task?.state !== 'runs') return thing;
  return { ...thing, task: { ...change(task), work: { leftMs: workLeftMs, sinceAtMs: at } } };
};

const lessOne = (armed: readonly ArmedCard[]): readonly ArmedCard[] => {
  const [first, ...rest] = armed;
  if (!first) return armed;
  return first.left > 1 ? [{ ...first, left: first.left - 1 }, ...rest] : rest;
};
