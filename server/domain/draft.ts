import type { EventBody, HomeEvent } from '../../shared/event.ts';
import { evolve } from '../../shared/evolve.ts';
import type { Home } from '../../shared/home.ts';

/** Events being written. Each is folded at once, so that the next rule sees what it did. */
export interface Draft {
  readonly home: () => Home;
  readonly events: () => readonly HomeEvent[];
  /** The `seq` that the next event gets: what it creates is named after it. */
  readonly nextSeq: () => number;
  readonly add: (at: number, body: EventBody) => void;
}

/** `commandId` is put on the first event. */
export const draftOf = (before: Home, commandId?: string): Draft => {
  let home = before;
  const events: HomeEvent[] = [];
  return {
    home: () => home,
    events: () => events,
    nextSeq: () => home.seq + 1,
    add: (at, body) => {
      const isFirst = events.length === 0;
      const event: HomeEvent = {
        v: 1,
        seq: home.seq + 1,
        at,
        ...(isFirst && commandId !== undefined ? { commandId } : {}),
        ...body,
      };
      events.push(event);
      home = evolve(home, event);
    },
  };
};
