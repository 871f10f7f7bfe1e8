import type { Items } from '../../../shared/catalogue.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import type { Home } from '../../../shared/home.ts';

interface Found {
  readonly playerId: string;
  readonly home: object | undefined;
  readonly items: Items;
  readonly pets: readonly object[];
  readonly feedings: readonly object[];
  readonly timers: readonly object[];
  readonly checkpoint: Home | undefined;
  readonly events: readonly HomeEvent[];
  readonly audit: readonly object[];
  readonly jobs: readonly object[];
}

/** An export as it is handed out: rows as they lie in the tables. Undefined when nothing is kept of this player. */
export const everythingOf = (found: Found): Readonly<Record<string, unknown>> | undefined => {
  const isKnown =
    found.home !== undefined || found.timers.length > 0 || found.audit.length > 0 || found.events.length > 0;
  return isKnown ? { format: 'kibble-export', version: 1, ...found } : undefined;
};
