import type { NewTimer, ScheduleOutcome, Tx } from '../../../timer/model/timer-store.ts';
import { recurrenceOf } from '../../../timer/recurrence/recurrence.ts';
import { keyOf } from './timer-key.ts';
import { timersByKey } from './timer-lookups.ts';
import { jsonOf, type NewRow, newTimerOf } from './timer-row.ts';
import type { TimerStatements } from './timer-statements.ts';

/** Inserts rows. Outcomes in the order of the requests; of two with one key the first is applied. */
export const scheduleTimers = async (
  statements: TimerStatements,
  timers: readonly NewTimer[],
  tx?: Tx,
): Promise<readonly ScheduleOutcome[]> => {
  if (timers.length === 0) return [];
  const columns = [
    timers.map((timer) => timer.kind),
    timers.map((timer) => timer.subject),
    timers.map((timer) => timer.owner),
    timers.map((timer) => timer.dueAtMs),
    timers.map((timer) => jsonOf(timer.payload)),
    timers.map((timer) => jsonOf(recurrenceOf(timer))),
    timers.map((timer) => jsonOf(timer.misfire)),
  ];
  const rows = await statements.rows<NewRow>('schedule', [...columns, statements.datedMs()], tx);
  const inserted = new Map(rows.map((row) => [keyOf(row), row]));
  const outcomes: (ScheduleOutcome | undefined)[] = timers.map((wanted) => {
    const row = inserted.get(keyOf(wanted));
    // Of two requests with one key the first was inserted.
    if (row === undefined || !inserted.delete(keyOf(wanted))) return undefined;
    return { outcome: 'applied', timer: newTimerOf(wanted, row) };
  });
  return rows.length === timers.length
    ? outcomes.flatMap((outcome) => outcome ?? [])
    : others(statements, timers, { outcomes, tx });
};

/** Those that were not inserted are duplicates, unless the other timer was over meanwhile: then the key is free again. */
const others = async (
  statements: TimerStatements,
  timers: readonly NewTimer[],
  { outcomes, tx }: { readonly outcomes: readonly (ScheduleOutcome | undefined)[]; readonly tx: Tx | undefined },
): Promise<readonly ScheduleOutcome[]> => {
  const missed = timers.filter((_, at) => outcomes[at] === undefined);
  const present = await timersByKey(statements, missed, tx);
  const all: ScheduleOutcome[] = [];
  for (const [at, wanted] of timers.entries()) {
    const timer = present.get(keyOf(wanted));
    const outcome = outcomes[at];
    if (outcome !== undefined) all.push(outcome);
    else if (timer?.state === 'scheduled') all.push({ outcome: 'duplicate', timer });
    else all.push(...(await scheduleTimers(statements, [wanted], tx)));
  }
  return all;
};
