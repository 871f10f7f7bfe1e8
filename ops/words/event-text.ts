import type { HomeEvent } from '../../shared/event.ts';
import { instant, items, signed } from './formats.ts';
import { words } from './words.ts';

/** One entry of a log, as a sentence. */
export const eventText = (event: HomeEvent, nowMs: number): string => {
  const facts: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(event)) {
    if (typeof value === 'string' || typeof value === 'number') facts[name] = value;
  }
  if (typeof event.dueAt === 'number') facts.due = instant(event.dueAt, nowMs);
  if (typeof event.byMs === 'number') facts.shift = signed(event.byMs);
  if (event.items) {
    const isGiven = event.type === 'items-granted';
    facts.items = isGiven ? signedItems(event.items) : items(event.items);
  }
  return words().log.events[event.type]?.(facts) ?? event.type;
};

const signedItems = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count < 0 ? '−' : '+'}${items({ [name]: count })}`)
    .join(words().list);
