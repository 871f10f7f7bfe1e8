import type { Items } from '../items.ts';
import { omit } from '../omit.ts';
import { type Activity, WHOLE, type WorksCatalogue } from './rules-file.ts';
import { entryOf, type Order } from './thing.ts';

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
  const hasLists = [own.workMs, own.takes, own.gives].some(Array.isArray);
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

const atLevel = <Entry>(value: Entry | Entry[], level: number): Entry | undefined =>
  Array.isArray(value) ? value[level] : value;

const withoutNone = (items: Items): Record<string, number> =>
  Object.fromEntries(Object.entries(items).filter(([, count]) => count > 0));
