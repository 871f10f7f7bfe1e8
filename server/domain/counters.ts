import { type Counters, countersOf, type Home, withCounters } from '../../shared/home.ts';
import { isText } from '../../shared/text.ts';

const MOST_COUNTERS = 1000;
const LONGEST_NAME = 128;

/** The reason why an event of the module may not set these counters; undefined: it may. */
export const countersFlaw = (all: Home['counters'], module: string, values: unknown): string | undefined => {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    return 'counters is no object of whole numbers';
  }
  for (const [counter, value] of Object.entries(values)) {
    if (!isText(counter) || counter === '' || counter.length > LONGEST_NAME) {
      return `a counter has a name that is not text of 1 to ${LONGEST_NAME} characters`;
    }
    if (!Number.isSafeInteger(value) || value < 0) return `counters.${counter} is no whole number of 0 or more`;
  }
  const before = countOf(all, module);
  const after = countOf(withCounters(all, module, values as Counters), module);
  // A merge may have brought more: then the number may only fall.
  if (after <= MOST_COUNTERS || after <= before) return undefined;
  return `it would have ${after} counters of this player, more than ${MOST_COUNTERS}: give 0 to those that are over`;
};

const countOf = (counters: Home['counters'], module: string): number =>
  Object.keys(countersOf({ counters }, module)).length;
