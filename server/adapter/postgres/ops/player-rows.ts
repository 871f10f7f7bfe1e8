import {
  Any,
  type EntityManager,
  type EntitySchema,
  type FindOptionsOrder,
  type FindOptionsWhere,
  MoreThan,
  type ObjectLiteral,
} from 'typeorm';
import type { Items } from '../../../../shared/items.ts';
import { omit } from '../../../../shared/omit.ts';
import { playerTarget, timerTarget } from '../../../ops/perform/perform.ts';
import type { LoggedEvent } from '../../../ops/reads/explain-thing.ts';
import { eventOfRecord } from '../home/home-rows.ts';
import { checkpointEntity, type EventRecord, eventEntity, homeEntity, thingEntity } from '../schema/home-entities.ts';
import { auditEntity, jobEntity, jobTargetEntity } from '../schema/ops-entities.ts';

const LOG_PAGE = 1000;
/** A clock reading is shown if it differs by this much from the logical time; a batch may wait for less. */
const SHOWN_FROM_MS = 1000;

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
  const isShown = Math.abs(readAtMs - atMs) >= SHOWN_FROM_MS;
  return { event: eventOfRecord(record), readAtMs: isShown ? readAtMs : undefined };
};

interface Known {
  readonly playerId: string;
  /** From a game's own inventory. */
  readonly items: Items | undefined;
  readonly events: readonly LoggedEvent[];
  readonly timers: readonly { readonly id: string | number }[];
}

/** An export of a player: the rows of all tables. Undefined if there are none. */
export const everythingOf = async (
  manager: EntityManager,
  { playerId, items, events, timers }: Known,
): Promise<Readonly<Record<string, unknown>> | undefined> => {
  const [home] = await rowsOf(manager, homeEntity, { playerId });
  const things = await rowsOf(manager, thingEntity, { playerId }, { module: 'asc', thingId: 'asc' });
  const checkpoint = await manager.findOneBy(checkpointEntity, { playerId });
  const targets = [playerTarget(playerId), ...timers.map(({ id }) => timerTarget(`${id}`))];
  // One bind for the whole list: a statement has at most 65,535.
  const audit = await rowsOf(manager, auditEntity, { target: Any(targets) }, { id: 'asc' });
  const jobs = await jobsOf(manager, playerId);
  if (home === undefined && timers.length === 0 && audit.length === 0 && events.length === 0) return undefined;
  return {
    format: 'kibble-export',
    version: 2,
    playerId,
    home: home && omit(home, 'items'),
    items: items ?? home?.items ?? {},
    things,
    timers,
    checkpoint: checkpoint?.home,
    events: events.map(({ event, readAtMs }) => (readAtMs === undefined ? event : { ...event, readAtMs })),
    jobs,
    // Operators' acts on the player and the player's timers, without a command's hash and result.
    audit: audit.map((entry) => omit(entry, 'id', 'hash', 'answer')),
  };
};

/** Rows with the columns' own names and values. */
export const rowsOf = <Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntitySchema<Row>,
  where: FindOptionsWhere<Row>,
  order: FindOptionsOrder<Row> = {},
): Promise<readonly ObjectLiteral[]> => {
  const rows = manager.createQueryBuilder().select('r.*').from(entity, 'r').where(where);
  for (const [property, direction] of Object.entries(order)) rows.addOrderBy(`r.${property}`, direction.toUpperCase());
  return rows.getRawMany();
};

const jobsOf = async (manager: EntityManager, playerId: string): Promise<readonly object[]> => {
  const targets = await manager.findBy(jobTargetEntity, { playerId });
  const byJob = new Map(targets.map((target) => [target.jobId, target]));
  const jobs = await manager.find(jobEntity, {
    where: { jobId: Any([...byJob.keys()]) },
    order: { createdAtMs: 'asc' },
  });
  return jobs.map(({ jobId, items, reason }) => {
    const { state, code } = byJob.get(jobId) ?? {};
    return { job_id: jobId, state, code, items, reason };
  });
};
