import { timersOf } from '../../server/domain/timers-of.ts';
import type { HomeEvent } from '../../shared/event.ts';
import { fold } from '../../shared/evolve.ts';
import { newHome } from '../../shared/home.ts';
import type { Ended } from './history.ts';
import type { HomeRows } from './sim-database.ts';

/** From the end of the last fault on, or from the due time if that is later. */
const LATE_MS = 7000;

/** Everything that is wrong at the quiet end of a history; nothing, if the promises held. */
export const faultsOf = (ended: Ended): readonly string[] => {
  const { world, asked } = ended;
  const faults: string[] = [];
  for (const [playerId, rows] of world.database.homes) {
    for (const fault of [...logFaults(rows), ...timeFaults(rows, ended)]) faults.push(`${playerId}: ${fault}`);
  }
  for (const each of asked) faults.push(...answerFaults(ended, each));
  return [...faults, ...timerFaults(ended), ...world.faults.map((fault) => `a fault was thrown: ${fault}`)];
};

const logFaults = ({ home, events }: HomeRows): string[] => {
  const faults: string[] = [];
  events.forEach(({ seq, at }, place) => {
    if (seq !== place + 1) faults.push(`event ${place + 1} has seq ${seq}`);
    if (at < (events[place - 1]?.at ?? 0)) faults.push(`event ${seq} is dated before the one before`);
  });
  const folded = fold(newHome(home.playerId), events);
  if (JSON.stringify(folded) !== JSON.stringify(home)) faults.push('the fold of the log is not the row');
  const stock: Record<string, number> = {};
  for (const event of events) {
    for (const [item, delta] of Object.entries(('items' in event ? event.items : undefined) ?? {})) {
      stock[item] = (stock[item] ?? 0) + delta;
      if (stock[item] < 0) faults.push(`event ${event.seq} spends a ${item} that is not there`);
    }
  }
  return [...faults, ...feedingFaults(events)];
};

/** Each feeding ends once, at the instant that was last announced for it. */
const feedingFaults = (events: readonly HomeEvent[]): string[] => {
  const faults: string[] = [];
  const dueAtMs = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'feeding-started') {
      if (dueAtMs.has(event.feedingId)) faults.push(`${event.feedingId} started twice`);
      dueAtMs.set(event.feedingId, event.dueAt);
    }
    if (event.type === 'card-used') dueAtMs.set(event.feedingId, event.dueAt);
    if (event.type === 'feeding-completed' && dueAtMs.get(event.feedingId) !== event.at) {
      faults.push(`${event.feedingId} completed at ${event.at}, not at ${dueAtMs.get(event.feedingId)}`);
    }
    if (event.type === 'feeding-completed' || event.type === 'feeding-stopped') dueAtMs.delete(event.feedingId);
  }
  return faults;
};

const timeFaults = ({ events, committedAtMs }: HomeRows, { calmAtMs }: Ended): string[] =>
  events.flatMap(({ seq, at, type }, place) => {
    const committed = committedAtMs[place] ?? 0;
    if (committed < at) return [`event ${seq} was committed ${at - committed} ms early`];
    const lateMs = committed - Math.max(at, calmAtMs);
    return type === 'feeding-completed' && lateMs > LATE_MS ? [`event ${seq} was ${lateMs} ms late`] : [];
  });

const answerFaults = ({ world }: Ended, asked: Ended['asked'][number]): string[] => {
  const { playerId, commandId, outcome } = asked;
  const events = world.database.homes.get(playerId)?.events ?? [];
  const own = events.filter((event) => event.commandId === commandId);
  const name = `${playerId}'s ${commandId}`;
  if (outcome === undefined) return [`${name} was never answered`];
  // Of a try that nobody heard of any more nothing is known: it may come true after the rejection of a later one.
  const most = 'rejection' in outcome && asked.tries === 1 ? 0 : 1;
  if (own.length > most) return [`${name} stands ${own.length} times in the log`];
  if ('rejection' in outcome) return [];
  if (own.length !== 1) return [`${name} was accepted and stands ${own.length} times in the log`];
  const answered = outcome.reply.events;
  const same = answered.every((event) => JSON.stringify(events[event.seq - 1]) === JSON.stringify(event));
  return same ? [] : [`${name} was answered with what is not in the log`];
};

/** Rows are what the homes want, and the index what the rows want. */
const timerFaults = ({ world }: Ended): string[] => {
  const { database, redis } = world;
  const wanted = [...database.homes.values()].flatMap(({ home }) =>
    [...timersOf(home)].map((timer) => `${timer.subject} at ${timer.dueAtMs}`),
  );
  const rows = database.scheduled().map(({ subject, dueAtMs }) => `${subject} at ${dueAtMs}`);
  const faults: string[] = [];
  if ([...wanted].sort().join() !== [...rows].sort().join()) {
    faults.push(`timers are ${rows.join()}, the homes want ${wanted.join()}`);
  }
  const overdue = database.scheduled().filter(({ fireAtMs }) => fireAtMs < database.nowMs() - LATE_MS);
  for (const { subject } of overdue) faults.push(`the timer of ${subject} was never fired`);
  const indexed = redis
    .entries(database.generation?.shards ?? 1)
    .map(({ timerId, fireAtMs }) => `${timerId} at ${fireAtMs}`);
  const scheduled = database.scheduled().map(({ id, fireAtMs }) => `${id} at ${fireAtMs}`);
  if ([...indexed].sort().join() !== [...scheduled].sort().join()) {
    faults.push(`the index has ${indexed.join()}, the rows are ${scheduled.join()}`);
  }
  return faults;
};
