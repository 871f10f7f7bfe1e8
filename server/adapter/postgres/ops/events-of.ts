import { type EntityManager, type FindOptionsWhere, MoreThan } from 'typeorm';
import type { LoggedEvent } from '../../../ops/reads/spans-of.ts';
import { eventOfRecord } from '../home/home-rows.ts';
import { type EventRecord, eventEntity } from '../schema/home-entities.ts';

const LOG_PAGE = 1000;
/** From then on a reading is told beside the logical time: less is how long a batch may wait. */
const TOLD_FROM_MS = 1000;

/** Events of the log, by `seq`. */
export const eventsOf = async (
  manager: EntityManager,
  where: FindOptionsWhere<EventRecord>,
  { order, limit }: { readonly order: 'asc' | 'desc'; readonly limit: number },
): Promise<readonly LoggedEvent[]> =>
  (await manager.find(eventEntity, { where, order: { seq: order }, take: limit })).map(loggedOf);

/** The player's whole log, read page by page. */
export const allEventsOf = async (manager: EntityManager, playerId: string): Promise<readonly LoggedEvent[]> => {
  const events: LoggedEvent[] = [];
  for (;;) {
    const where = { playerId, seq: MoreThan(events.at(-1)?.event.seq ?? 0) };
    const page = await eventsOf(manager, where, { order: 'asc', limit: LOG_PAGE });
    events.push(...page);
    if (page.length < LOG_PAGE) return events;
  }
};

const loggedOf = (record: EventRecord): LoggedEvent => {
  const { atMs, readAtMs } = record;
  const isTold = Math.abs(readAtMs - atMs) >= TOLD_FROM_MS;
  return { event: eventOfRecord(record), readAtMs: isTold ? readAtMs : undefined };
};
