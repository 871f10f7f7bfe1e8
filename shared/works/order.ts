import { countOf, type Items } from '../items.ts';
import { LATEST_MS } from '../latest-ms.ts';
import type { Asked, Refusal, Refuse } from '../module/module.ts';
import { omit } from '../omit.ts';
import { atLevel, levelsOf, type Needs } from './at-level.ts';
import type { WorksDraft } from './contract.ts';
import { type Activity, WHOLE, type WorksCatalogue } from './rules-file.ts';
import { dueIfStarted, isBeyondTheClock, isFree, lacks, lastInLine, less, lineFor, moved } from './start.ts';
import { entryOf, type Order, type WorksThing } from './thing.ts';

type AskedFor<Payload> = Asked<WorksThing, Payload, WorksCatalogue>;

interface Ordering {
  readonly id: string;
  readonly thing: WorksThing;
  readonly activity: string;
  readonly own: Activity;
}

/** It waits from now, and starts at once where nothing is missing. */
export const order = (
  asked: AskedFor<object>,
  { id, thing, activity, own }: Ordering,
): Extract<WorksDraft, { type: 'ordered' }> | Refusal => {
  const { things, nowMs, config, refuse } = asked;
  const needs = atLevel(own.needs ?? {}, thing.level);
  const unmet = needs && whyUnmet(asked, needs);
  if (unmet) return unmet;
  const ordered = needs && orderOf(config, { activity, own, level: thing.level });
  if (!ordered) return refuse('works/highest', { thing: id, activity, level: thing.level });
  const dueAt = dueIfStarted(ordered, thing, nowMs);
  if (isBeyondTheClock(dueAt)) return refuse('thing/too-long', { thing: id, dueAt, latestAt: LATEST_MS });
  // What may wait for its items takes them when it starts: what is auto, and all in a queue by such rules.
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

/** The first thing that is not of the level, or the first item of which there is too little. */
const whyUnmet = ({ things, items, refuse }: AskedFor<object>, needs: Needs): Refusal | undefined => {
  const unmet = levelsOf(needs).find(
    ([name, level]) => !Object.values(things).some((one) => one?.name === name && one.level >= level),
  );
  if (unmet) return refuse('works/needs', { thing: unmet[0], level: unmet[1] });
  const lacking = lackOf(items, needs.items ?? {});
  return lacking && refuse('works/needs-item', lacking);
};

/** Who cannot start at once needs room in the queue. */
const whyNoRoom = (asked: AskedFor<object>, { slot, takes }: Order, isPaid: boolean): Refusal | undefined => {
  if (!slot) return undefined;
  const { things, items, config, refuse } = asked;
  const hasSlot = isFree(slot, asked);
  if (hasSlot && (isPaid || !lacks(items, takes))) return undefined;
  const max = entryOf(config.slots, slot.name)?.queue ?? 0;
  if (lineFor(slot.name, things).length < max) return undefined;
  return hasSlot ? outOfStock(items, takes, refuse) : refuse('works/queue-full', { slot: slot.name, max });
};

const outOfStock = (items: Items, takes: Items, refuse: Refuse): Refusal =>
  refuse('item/out-of-stock', lackOf(items, takes));

/** The first item of which there is too little. */
const lackOf = (items: Items, counts: Items) => {
  const lacking = Object.entries(counts).find(([item, count]) => countOf(items, item) < count);
  return lacking && { item: lacking[0], have: countOf(items, lacking[0]), need: lacking[1] };
};

/** What is ordered at a level: every number of it is copied from the rules. Undefined: the lists end before that level. */
export const orderOf = (
  catalogue: WorksCatalogue,
  { activity, own, level }: { readonly activity: string; readonly own: Activity; readonly level: number },
): Order | undefined => {
  const workMs = atLevel(own.workMs, level);
  const takes = atLevel(own.takes ?? {}, level);
  const gives = atLevel(own.gives ?? {}, level);
  if (workMs === undefined || takes === undefined || gives === undefined) return undefined;
  const slot = own.slot === undefined ? undefined : entryOf(catalogue.slots, own.slot);
  const isCollected = own.collect ?? false;
  const isConsumed = own.consumes ?? false;
  const isAuto = own.auto ?? false;
  const hasLists = [own.workMs, own.takes, own.gives, own.needs].some(Array.isArray);
  return {
    activity,
    workMs,
    takes: withoutNone(takes),
    gives: withoutNone(omit(gives, 'level')),
    levels: gives.level ?? 0,
    ...(own.slot !== undefined &&
      slot && { slot: { name: own.slot, base: slot.base, ...(slot.item !== undefined && { item: slot.item }) } }),
    ...(own.below && { below: own.below }),
    isCollected,
    isConsumed,
    isAuto,
    isRepeatable: !hasLists && !isCollected && !isConsumed && !isAuto,
    givesBack: Math.round(catalogue.cancelGivesBack * WHOLE),
  };
};

const withoutNone = (items: Items): Record<string, number> =>
  Object.fromEntries(Object.entries(items).filter(([, count]) => count > 0));
