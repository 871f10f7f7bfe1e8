import type { HomeChange } from '../model/home-store.ts';
import type { ItemMove } from '../model/inventory.ts';

/** Everything that the events gave or took. */
export const itemMoves = (changes: readonly HomeChange[]): readonly ItemMove[] =>
  changes.flatMap(({ after: { playerId }, events }) =>
    events.flatMap((event) =>
      Object.entries(('items' in event && event.items) || {})
        .filter(([, delta]) => delta !== 0)
        .map(([item, delta]) => ({
          playerId,
          item,
          delta,
          reason: event.type === 'items-granted' ? event.reason : event.type,
          key: `${playerId}~${event.seq}~${item}`,
        })),
    ),
  );
