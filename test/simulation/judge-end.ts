import { judgeEvidence } from '../chaos/checker/judge-evidence.ts';
import { isDue, type ToldEvent } from '../chaos/evidence/evidence.ts';
import { evidenceOf } from './evidence-of.ts';
import { type Ended, rules } from './history.ts';
import { judgeReminders } from './judge-reminders.ts';

/** From the end of the last fault on, or from the due time if that is later. */
const LATE_MS = 7000;
/** Where nothing ever went wrong. */
const HEALTHY_LATE_MS = 100;

/** Everything that is wrong at the quiet end of a history; nothing, if the promises held. */
export const faultsOf = (ended: Ended): readonly string[] => [
  ...judgeEvidence(evidenceOf(ended, rules), Number.POSITIVE_INFINITY).map(
    ({ playerId, what }) => `${playerId}: ${what}`,
  ),
  ...ended.asked.flatMap(({ commandId, outcome }) => (outcome ? [] : [`${commandId} was never answered`])),
  ...latenessFaults(ended),
  ...reminderFaults(ended),
  ...indexFaults(ended),
  ...ended.world.faults.map((fault) => `a fault was thrown: ${fault}`),
];

const reminderFaults = ({ world, transactions, calmAtMs, wasCalm }: Ended): string[] =>
  judgeReminders({
    rows: world.database.game,
    timers: world.database.timers.all(),
    asked: transactions,
    readAtMs: world.database.nowMs(),
    lateMs: wasCalm ? HEALTHY_LATE_MS : LATE_MS,
    calmAtMs: wasCalm ? 0 : calmAtMs,
  });

const latenessFaults = ({ world, calmAtMs, wasCalm }: Ended): string[] =>
  [...world.database.homes].flatMap(([playerId, { events, committedAtMs }]) =>
    (events as readonly ToldEvent[]).flatMap((event, place) => {
      const { seq, at } = event;
      const lateMs = (committedAtMs[place] ?? 0) - Math.max(at, wasCalm ? 0 : calmAtMs);
      const isLate = isDue(event) && lateMs > (wasCalm ? HEALTHY_LATE_MS : LATE_MS);
      return isLate ? [`${playerId}: event ${seq} was ${lateMs} ms late`] : [];
    }),
  );

/** At rest nothing is due any more, and the index holds what the rows say. */
const indexFaults = ({ world }: Ended): string[] => {
  const { database, redis } = world;
  const scheduled = database.timers.scheduled();
  const overdue = scheduled.filter(({ fireAtMs }) => fireAtMs < database.nowMs() - LATE_MS);
  const faults = overdue.map(({ subject }) => `the timer of ${subject} was never fired`);
  const inForce = database.generations.inForce(1);
  const unacked = redis.unacked(inForce);
  if (unacked > 0) faults.push(`${unacked} deliveries were never acked`);
  const indexed = redis.entries(inForce).map(({ timerId, fireAtMs }) => `${timerId} at ${fireAtMs}`);
  const rows = scheduled.map(({ id, fireAtMs }) => `${id} at ${fireAtMs}`);
  if (indexed.sort().join() !== rows.sort().join()) faults.push(`the index has ${indexed}, the rows are ${rows}`);
  return faults;
};
