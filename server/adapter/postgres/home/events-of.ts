import { type EntityManager, type FindOptionsWhere, MoreThan } from 'typeorm';
import type { HomeEvent } from '../../../../shared/event.ts';
import { type EventRecord, eventEntity } from '../schema/entities/home/event.ts';
import { eventOfRecord } from './home-rows.ts';

const LOG_PAGE = 1000;

/** Events of the log, by `seq`. */
export const eventsOf = async (
  manager: EntityManager,
  where: FindOptionsWhere<EventRecord>,
  { order, limit }: { readonly order: 'asc' | 'desc'; readonly limit: number },
): Promise<readonly HomeEvent[]> =>
  (await manager.find(eventEntity, { where, order: { seq: order }, take: limit })).map(eventOfRecord);

/** The player's whole log, read page by page. */
export const allEventsOf = async (manager: EntityManager, playerId: string): Promise<readonly HomeEvent[]> => {
  const events: HomeEvent[] = [];
  for (;;) {
    const where = { playerId, seq: MoreThan(events.at(-1)?.seq ?? 0) };
    const page = await eventsOf(manager, where, { order: 'asc', limit: LOG_PAGE });
    events.push(...page);
    if (page.length < LOG_PAGE) return events;
  }
};
