import type { Timer } from '../../../timer/model/timer.ts';
import type { NewTimer, ScheduleOutcome, ScheduleRequest } from '../../../timer/model/timer-changes.ts';
import { Locked } from '../../../timer/model/timer-errors.ts';
import { givesRecurrence, recurrenceOf } from '../../../timer/recurrence/recurrence.ts';
import { jsonOf, keyOf, type NewRow, newTimerOf, type TimerKey } from './timer-row.ts';

interface ScheduleStatements {
  /** Whether nothing is committed between statements. Otherwise a request that takes a second one is left undone. */
  readonly mayGoOn: boolean;
  /** Inserts timers with free keys. */
  add(wanted: readonly NewTimer[]): Promise<readonly NewRow[]>;
  /** Inserts timers with free keys, and moves those of the same owner. No key twice. */
  addOrMove(wanted: readonly NewTimer[]): Promise<readonly Timer[]>;
  find(keys: readonly TimerKey[]): Promise<ReadonlyMap<string, Timer>>;
}

/** A timer that is neither written nor found so often in a row: another transaction changes it each time. */
export const MOST_TRIES = 20;

/**
 * Schedules in the order of the requests. Neighbours of the same sort share a statement. Throws `Locked` if other
 * transactions schedule and end a timer with the same key again and again.
 */
export const scheduleTimers = async (
  wanted: readonly ScheduleRequest[],
  statements: ScheduleStatements,
  tries = 1,
): Promise<readonly (ScheduleOutcome | undefined)[]> => {
  if (tries > MOST_TRIES) throw new Locked('other transactions schedule and end this timer again and again');
  const outcomes: (ScheduleOutcome | undefined)[] = [];
  for (let from = 0; from < wanted.length; ) {
    const wave = nextWave(wanted, from);
    const written = await (wave[0]?.orMove ? addOrMove(wave, statements) : add(wave, statements));
    for (const outcome of await withOthers(wave, written, { statements, tries })) outcomes.push(outcome);
    from += wave.length;
  }
  return outcomes;
};

export const isOneScheduleWave = (wanted: readonly ScheduleRequest[]): boolean =>
  nextWave(wanted, 0).length === wanted.length;

/** As parameters for `unnest`: kinds, subjects, owners, instants, distances from now, payloads, recurrences, policies. */
export const scheduleColumns = (timers: readonly NewTimer[]): readonly unknown[] => [
  timers.map((timer) => timer.kind),
  timers.map((timer) => timer.subject),
  timers.map((timer) => timer.owner),
  timers.map((timer) => timer.dueAtMs ?? null),
  timers.map((timer) => timer.inMs ?? null),
  timers.map((timer) => jsonOf(timer.payload)),
  // JSON's null for one of a single turn: a move then ends the recurrence of the row.
  timers.map((timer) => jsonOf(givesRecurrence(timer) ? (recurrenceOf(timer) ?? null) : undefined)),
  timers.map((timer) => jsonOf(timer.misfire)),
];

/** One statement cannot move a row twice. */
const nextWave = (wanted: readonly ScheduleRequest[], from: number): readonly ScheduleRequest[] => {
  const isMove = wanted[from]?.orMove === true;
  const keys = new Set<string>();
  const rest = wanted.slice(from);
  const end = rest.findIndex((one) => {
    if ((one.orMove === true) !== isMove || (isMove && keys.has(keyOf(one)))) return true;
    keys.add(keyOf(one));
    return false;
  });
  return end === -1 ? rest : rest.slice(0, end);
};

type Written = readonly (ScheduleOutcome | undefined)[];

const add = async (wave: readonly NewTimer[], statements: ScheduleStatements): Promise<Written> => {
  const inserted = new Map((await statements.add(wave)).map((row) => [keyOf(row), row]));
  return wave.map((one) => {
    const row = inserted.get(keyOf(one));
    // Of two requests with one key the first was inserted.
    if (row === undefined || !inserted.delete(keyOf(one))) return undefined;
    return { outcome: 'applied', timer: newTimerOf(one, row) };
  });
};

const addOrMove = async (wave: readonly NewTimer[], statements: ScheduleStatements): Promise<Written> => {
  const written = new Map((await statements.addOrMove(wave)).map((timer) => [keyOf(timer), timer]));
  return wave.map((one) => {
    const timer = written.get(keyOf(one));
    return timer && { outcome: timer.revision === 1 ? 'applied' : 'moved', timer };
  });
};

/** Requests that were not written are duplicates, unless the other timer ended meanwhile, or is new and to be moved. */
const withOthers = async (
  wave: readonly ScheduleRequest[],
  written: Written,
  { statements, tries }: { readonly statements: ScheduleStatements; readonly tries: number },
): Promise<readonly (ScheduleOutcome | undefined)[]> => {
  const missed = wave.filter((_, at) => written[at] === undefined);
  if (missed.length === 0) return written.flatMap((outcome) => outcome ?? []);
  const present = await statements.find(missed);
  const all: (ScheduleOutcome | undefined)[] = [];
  for (const [at, one] of wave.entries()) {
    const timer = present.get(keyOf(one));
    const outcome = written[at];
    const isTaken = timer?.state === 'scheduled' && (!one.orMove || timer.owner !== one.owner);
    if (outcome !== undefined) all.push(outcome);
    else if (isTaken) all.push({ outcome: 'duplicate', timer });
    else if (!statements.mayGoOn) all.push(undefined);
    else all.push(...(await scheduleTimers([one], statements, tries + 1)));
  }
  return all;
};
