import { addItems, ownEntry } from '../items.ts';
import type { Asked, Refusal, Refuse } from '../module/module.ts';
import { isSingle, limitOf, priceOf } from './at-level.ts';
import { useOf } from './at-most.ts';
import type { WorksDraft, WorksPayload } from './contract.ts';
import { doNow, order } from './order.ts';
import { WHOLE, type WorksCatalogue } from './rules-file.ts';
import { givenBy, less, lineFor, moved } from './start.ts';
import { heldBy, nextOrder, type Task, unusedCards, type WorksThing } from './thing.ts';
import { whyClosed } from './window.ts';

export type Decided = readonly WorksDraft[] | Refusal;
type AskedFor<Payload> = Asked<WorksThing, Payload, WorksCatalogue>;

/** The thing of a command, or the refusal. */
export const ofThing = <Payload extends { readonly thing: string }>(
  { payload, things, refuse }: AskedFor<Payload>,
  decide: (thing: WorksThing) => Decided,
): Decided => {
  const thing = ownEntry(things, payload.thing);
  return thing ? decide(thing) : refuse('thing/unknown', { thing: payload.thing });
};

export const place = (asked: AskedFor<WorksPayload<'place'>>): Decided => {
  const { payload, things, newId, config: catalogue, refuse } = asked;
  const name = payload.thing;
  const own = ownEntry(catalogue.things, name);
  if (!own) return refuse('thing/unknown', { thing: name });
  const closed = whyClosed(asked, own);
  if (closed) return closed;
  const all = Object.values(things).flatMap((thing) => thing ?? []);
  const have = all.filter((thing) => thing.name === name).length;
  const most = limitOf(own.limit, all);
  if (have >= most.limit) return refuse('works/limit', { thing: name, ...most });
  const id = isSingle(own.limit) ? name : newId;
  const placed: WorksDraft = { type: 'placed', thing: id, name, ...moved(less(priceOf(own.takes, have))) };
  const auto = Object.entries(catalogue.activities).find(([, { auto, on }]) => auto && on.includes(name));
  if (!auto) return [placed];
  const ordered = order(asked, { id, thing: { name, level: 0 }, activity: auto[0], own: auto[1] });
  return 'code' in ordered ? ordered : [placed, ordered];
};

export const start = (asked: AskedFor<WorksPayload<'start'>>, thing: WorksThing): Decided => {
  const { payload, config, refuse } = asked;
  const own = ownEntry(config.activities, payload.activity);
  if (!own) return refuse('activity/unknown', { activity: payload.activity });
  if (!own.on.includes(thing.name))
    return refuse('activity/not-here', { activity: payload.activity, thing: thing.name });
  const closed = whyClosed(asked, own);
  if (closed) return closed;
  const use = own.atMost && useOf(asked, payload.activity, own.atMost);
  if (use && 'code' in use) return use;
  const isInstant = own.workMs === undefined;
  const notFree = (!isInstant || own.consumes) && whyNotFree(thing, refuse);
  if (notFree) return notFree;
  const ordering = { id: payload.thing, thing, activity: payload.activity, own };
  const ordered = isInstant ? doNow(asked, ordering) : order(asked, ordering);
  return 'code' in ordered ? ordered : [{ ...ordered, ...use }];
};

/**
 * Only a thing that rests and holds nothing can get a new order or be removed. A resting one holds gains if the rules
 * dropped `collect` before they ended its activity.
 */
const whyNotFree = ({ task, held }: WorksThing, refuse: Refuse): Refusal | undefined => {
  if (task) return notResting(task, refuse);
  return held && refuse('works/uncollected');
};

const notResting = ({ state, order: { activity } }: Task, refuse: Refuse): Refusal =>
  refuse(state === 'holds' ? 'works/uncollected' : 'works/busy', { activity });

/** A cancelled order gives back all items if it waits, a share if it runs, and unused armed cards. */
export const cancel = ({
  id,
  thing,
  run,
  refuse,
}: {
  readonly id: string;
  readonly thing: WorksThing;
  readonly run: string | undefined;
  readonly refuse: Refuse;
}): Extract<WorksDraft, { type: 'cancelled' }> | Refusal => {
  const { task } = thing;
  // A thing that does not run is its own run, as the module's `run` names it.
  if (run !== undefined && run !== (task?.state === 'runs' ? task.run : id))
    return refuse('works/already-done', { thing: id, run });
  if (!task) return refuse('works/idle', { thing: id });
  if (task.state === 'holds' || thing.held) return refuse('works/uncollected', { activity: task.order.activity });
  const { order, armed } = task;
  const share = task.state === 'runs' ? order.givesBack : task.isPaid ? WHOLE : 0;
  const shares = Object.entries(order.takes).map(([item, count]) => [item, shareOf(count, share)]);
  const back = addItems(unusedCards(armed), Object.fromEntries(shares));
  return { type: 'cancelled', thing: id, activity: order.activity, ...moved(back) };
};

/** Rounded down and exact, although `count * share` may exceed exact doubles. */
const shareOf = (count: number, share: number): number =>
  Math.floor(count / WHOLE) * share + Math.floor(((count % WHOLE) * share) / WHOLE);

/** Gives all held items, also while the next run goes on or after the last one. */
export const collect = ({ payload, nowMs, refuse }: AskedFor<WorksPayload<'collect'>>, thing: WorksThing): Decided => {
  const { task } = thing;
  const held = heldBy(thing);
  if (!held) return task ? notResting(task, refuse) : refuse('works/idle', { thing: payload.thing });
  const goesOn = task?.state === 'holds' && nextOrder(task).isAuto && !task.order.isConsumed;
  const collected = {
    type: 'collected',
    thing: payload.thing,
    ...(task && { activity: task.order.activity }),
    ...givenBy(thing, held),
  } as const;
  return [goesOn ? { ...collected, waitsSinceMs: nowMs } : collected];
};

/** The things exchange their waiting times. */
export const reorder = ({
  payload,
  things,
  refuse,
}: Pick<AskedFor<WorksPayload<'reorder'>>, 'payload' | 'things' | 'refuse'>): Decided => {
  const line = lineFor(payload.slot, things);
  if (line.length === 0) return refuse('works/idle', { slot: payload.slot });
  const waiting = line.map(([id]) => id);
  const wanted = new Set(payload.things);
  const isSame = payload.things.length === line.length && waiting.every((id) => wanted.has(id));
  if (!isSame) return refuse('works/changed', { slot: payload.slot, things: waiting });
  let lastMs = 0;
  return payload.things.map((thing, at) => {
    // Things of a merged home may have the same waiting time.
    lastMs = Math.max(lastMs + 1, line[at]?.[1].sinceMs ?? 0);
    return { type: 'reordered', thing, waitsSinceMs: lastMs };
  });
};

export const remove = ({ payload, refuse }: AskedFor<WorksPayload<'remove'>>, thing: WorksThing): Decided =>
  whyNotFree(thing, refuse) ?? [{ type: 'removed', thing: payload.thing }];
