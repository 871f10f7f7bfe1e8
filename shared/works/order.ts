import { differencesOf } from '../differences.ts';
import { addItems, countOf, type Items, ownEntry } from '../items.ts';
import { isBeyondTheClock, LATEST_MS } from '../latest-ms.ts';
import type { Asked, Refusal, Refuse } from '../module/module.ts';
import { atLevel, levelsOf, type Needs } from './at-level.ts';
import type { WorksDraft } from './contract.ts';
import { gainsOf } from './draw.ts';
import { type ActivityRules, WHOLE, type WorksCatalogue } from './rules-file.ts';
import { dueIfStarted, givenBy, isFree, lacks, lastInLine, less, lineFor, moved, sizeOf } from './start.ts';
import { nextOrder, type Order, type WorksThing } from './thing.ts';
import { hasWindow } from './window.ts';

type AskedFor<Payload> = Asked<WorksThing, Payload, WorksCatalogue>;

interface Ordering {
  readonly id: string;
  readonly thing: WorksThing;
  readonly activity: string;
  readonly own: ActivityRules;
}

/** Orders an activity: it waits from now, and starts at once if nothing is missing. */
export const order = (
  asked: AskedFor<object>,
  { id, thing, activity, own }: Ordering,
): Extract<WorksDraft, { type: 'ordered' }> | Refusal => {
  const { things, nowMs, config, refuse } = asked;
  const terms = termsOf(asked, { id, thing, activity, own });
  if ('code' in terms) return terms;
  const ordered = orderOf(config, activity, own, terms);
  const dueAt = dueIfStarted(ordered, thing, nowMs);
  if (isBeyondTheClock(dueAt)) return refuse('thing/too-long', { thing: id, dueAt, latestAt: LATEST_MS });
  // An order that may wait for items takes them at its start: an auto order, and with such rules all in a queue.
  const isPaid = !ordered.isAuto && (ordered.slot === undefined || config.queueTakes === 'queue');
  const noRoom = whyNoRoom(asked, ordered, isPaid);
  if (noRoom) return noRoom;
  const waitsSinceMs = lastInLine(ordered, things, nowMs);
  return {
    type: 'ordered',
    thing: id,
    order: ordered,
    waitsSinceMs,
    isPaid,
    ...(isPaid && moved(less(ordered.takes))),
  };
};

/** An activity without duration takes and gives in one event, whatever else the thing does. */
export const doNow = (asked: AskedFor<object>, ordering: Ordering): Extract<WorksDraft, { type: 'done' }> | Refusal => {
  const { items, refuse } = asked;
  const terms = termsOf(asked, ordering);
  if ('code' in terms) return terms;
  if (lacks(items, terms.takes)) return outOfStock(items, terms.takes, refuse);
  const { id, thing, activity, own } = ordering;
  const gives = addItems(less(terms.takes), terms.gives);
  const isConsumed = own.consumes && ({ isConsumed: true } as const);
  return { type: 'done', thing: id, activity, ...isConsumed, ...givenBy(thing, { ...terms, gives }) };
};

type Terms = Pick<Order, 'workMs' | 'takes' | 'gives' | 'ranges' | 'levels'>;

/** The numbers of an activity at the thing's level; or the missing need, or the end of its lists. */
const termsOf = (asked: AskedFor<object>, { id, thing: { level }, activity, own }: Ordering): Terms | Refusal => {
  const needs = atLevel(own.needs ?? {}, level);
  const unmet = needs && whyUnmet(asked, needs);
  if (unmet) return unmet;
  return (needs && numbersAt(own, level)) || asked.refuse('works/highest', { thing: id, activity, level });
};

/** Undefined: its lists end before that level. */
const numbersAt = (own: ActivityRules, level: number): Terms | undefined => {
  const workMs = atLevel(own.workMs ?? 0, level);
  const takes = atLevel(own.takes ?? {}, level);
  const gives = atLevel(own.gives ?? {}, level);
  if (workMs === undefined || !takes || !gives) return undefined;
  return { workMs, takes: withoutNone(takes), ...gainsOf(gives), levels: gives.level ?? 0 };
};

/**
 * An auto order adopts the numbers of the rules in force, at its thing's level, for its next start; the present run
 * ends as it was ordered. One that the rules no longer repeat on its thing ends with the run that runs or waits, unless
 * the rules repeat it again before. An order that waits adopts a larger slot; otherwise newer orders would start before it.
 */
export const renew = ({
  things,
  config,
  items,
}: Pick<AskedFor<object>, 'things' | 'config' | 'items'>): readonly WorksDraft[] =>
  Object.entries(things).flatMap(([id, thing]): readonly WorksDraft[] => {
    const task = thing?.task;
    if (!thing || !task) return [];
    if (!task.order.isAuto && !task.order.wasAuto)
      return task.state === 'waits' ? withLargerSlot({ config, items }, id, task.order) : [];
    const before = nextOrder(task);
    const own = ownEntry(config.activities, before.activity);
    if (!own?.auto || !own.on.includes(thing.name))
      return before.isAuto ? [{ type: 'renewed', thing: id, order: { ...before, isAuto: false, wasAuto: true } }] : [];
    const terms = numbersAt(own, thing.level);
    if (!terms) return [];
    const order = orderOf(config, before.activity, own, terms);
    return differencesOf(before, order).length > 0 ? [{ type: 'renewed', thing: id, order }] : [];
  });

const withLargerSlot = (
  { config, items }: Pick<AskedFor<object>, 'config' | 'items'>,
  id: string,
  order: Order,
): readonly WorksDraft[] => {
  const slot = order.slot && slotOf(config, order.slot.name);
  if (!order.slot || !slot || sizeOf(slot, items) <= sizeOf(order.slot, items)) return [];
  return [{ type: 'renewed', thing: id, order: { ...order, slot } }];
};

/** The first thing below its level, or the first item with too few in stock. */
const whyUnmet = ({ things, items, refuse }: AskedFor<object>, needs: Needs): Refusal | undefined => {
  const unmet = levelsOf(needs).find(
    ([name, level]) => !Object.values(things).some((one) => one?.name === name && one.level >= level),
  );
  if (unmet) return refuse('works/needs', { thing: unmet[0], level: unmet[1] });
  const lacking = lackOf(items, needs.items ?? {});
  return lacking && refuse('works/needs-item', lacking);
};

/** An order that cannot start at once needs room in the queue. */
const whyNoRoom = (asked: AskedFor<object>, { slot, takes }: Order, isPaid: boolean): Refusal | undefined => {
  if (!slot) return undefined;
  const { things, items, config, refuse } = asked;
  const hasSlot = isFree(slot, asked);
  if (hasSlot && (isPaid || !lacks(items, takes))) return undefined;
  const max = ownEntry(config.slots, slot.name)?.queue ?? 0;
  if (lineFor(slot.name, things).length < max) return undefined;
  return hasSlot ? outOfStock(items, takes, refuse) : refuse('works/queue-full', { slot: slot.name, max });
};

const outOfStock = (items: Items, takes: Items, refuse: Refuse): Refusal =>
  refuse('item/out-of-stock', lackOf(items, takes));

/** The first item with too few in stock. */
const lackOf = (items: Items, counts: Items) => {
  const lacking = Object.entries(counts).find(([item, count]) => countOf(items, item) < count);
  return lacking && { item: lacking[0], have: countOf(items, lacking[0]), need: lacking[1] };
};

/** The order: a copy of all its numbers from the rules. */
const orderOf = (catalogue: WorksCatalogue, activity: string, own: ActivityRules, terms: Terms): Order => {
  const slot = own.slot === undefined ? undefined : slotOf(catalogue, own.slot);
  const isCollected = own.collect ?? false;
  const isConsumed = own.consumes ?? false;
  const isAuto = own.auto ?? false;
  const hasLists = [own.workMs, own.takes, own.gives, own.needs].some(Array.isArray);
  return {
    activity,
    ...terms,
    ...(slot && { slot }),
    ...(own.oneOf && {
      oneOf: { ...own.oneOf, of: own.oneOf.of.map(({ gives, ...one }) => ({ ...one, ...gainsOf(gives) })) },
    }),
    ...(own.below && Object.keys(own.below).length > 0 && { below: own.below }),
    isCollected,
    ...(own.holds !== undefined && { holds: own.holds }),
    isConsumed,
    isAuto,
    isRepeatable: !hasLists && !isCollected && !isConsumed && !isAuto && !hasWindow(own) && !own.atMost,
    givesBack: Math.round(catalogue.cancelGivesBack * WHOLE),
  };
};

const slotOf = ({ slots }: WorksCatalogue, name: string): Order['slot'] => {
  const slot = ownEntry(slots, name);
  return slot && { name, base: slot.base, ...(slot.item !== undefined && { item: slot.item }) };
};

const withoutNone = (items: Items): Record<string, number> =>
  Object.fromEntries(Object.entries(items).filter(([, count]) => count > 0));
