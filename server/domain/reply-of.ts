import type { HomeEvent } from '../../shared/event.ts';
import type { Reply } from '../../shared/protocol.ts';

/**
 * The answer to a command, from its events alone: so the same command sent again gets the very same answer.
 * `events` are those of the command and of what it set off at once; there is at least one.
 */
export const replyOf = (events: readonly HomeEvent[]): Reply => {
  const first = events[0];
  const last = events.at(-1);
  if (!first || !last) throw new Error('an accepted command has at least one event');
  const petId = 'petId' in first ? first.petId : undefined;
  const feedingId = 'feedingId' in first ? first.feedingId : undefined;
  const due = petId === undefined ? undefined : dueAfter(events, petId);
  return {
    seq: last.seq,
    nowMs: first.at,
    events,
    ...(petId === undefined ? {} : { petId }),
    ...(feedingId === undefined ? {} : { feedingId }),
    ...(due === undefined ? {} : { dueAt: due }),
    ...(first.type === 'card-used' && first.wastedMs !== undefined ? { wastedMs: first.wastedMs } : {}),
  };
};

/** The pet's new due time, 0 when it stopped eating; undefined when none of the events touches it. */
const dueAfter = (events: readonly HomeEvent[], petId: string): number | undefined => {
  let due: number | undefined;
  for (const event of events) {
    if (!('petId' in event) || event.petId !== petId) continue;
    if ('dueAt' in event) due = event.dueAt;
    else if (event.type === 'feeding-completed' || event.type === 'feeding-stopped') due = 0;
  }
  return due;
};
