import { isOfThing, type Timer } from '../../../timer/model/timer.ts';
import type { ChangeOutcome, TimerChange, TimerTarget } from '../../../timer/model/timer-changes.ts';
import { Locked } from '../../../timer/model/timer-errors.ts';
import type { SeenTimer } from '../../../timer/model/timer-store.ts';
import { MOST_TRIES } from './schedule-timers.ts';
import { jsonOf, keyOf, type TimerKey } from './timer-row.ts';

export interface ChangeStatements {
  /** Whether nothing is committed between statements. Otherwise a change that takes a second one is left undone. */
  readonly mayGoOn: boolean;
  byId(ids: readonly string[], columns: ChangeColumns): Promise<readonly Timer[]>;
  byKey(keys: readonly TimerKey[], columns: ChangeColumns): Promise<readonly Timer[]>;
  find(targets: readonly TimerTarget[]): Promise<readonly (Timer | undefined)[]>;
  /** Revives dead timers that still have the revision; not if their key was taken since. Of one key, the first. */
  revive(seen: readonly SeenTimer[]): Promise<readonly Timer[]>;
}

/** One element per change: its name, its milliseconds, its result or payload as JSON. */
export interface ChangeColumns {
  readonly names: readonly string[];
  readonly values: readonly (number | null)[];
  readonly results: readonly (string | null)[];
}

/**
 * Applies changes in order with as few statements as possible. One statement cannot change a row twice, and an id and a
 * key may mean the same row. So a wave has targets of one form, each once.
 */
export const changesInWaves = async (
  changes: readonly TimerChange[],
  statements: ChangeStatements,
): Promise<readonly (ChangeOutcome | undefined)[]> => {
  const outcomes: (ChangeOutcome | undefined)[] = [];
  for (let from = 0; from < changes.length; ) {
    const wave = nextWave(changes, from);
    for (const outcome of await runWave(wave, statements)) outcomes.push(outcome);
    from += wave.length;
  }
  return outcomes;
};

export const isOneChangeWave = (changes: readonly TimerChange[]): boolean =>
  nextWave(changes, 0).length === changes.length;

const nameOf = (target: TimerTarget): string => ('timerId' in target ? target.timerId : keyOf(target));

const nextWave = (changes: readonly TimerChange[], from: number): readonly TimerChange[] => {
  const first = changes[from];
  const names = new Set<string>();
  let to = from;
  for (; to < changes.length; to += 1) {
    const change = changes[to];
    if (first === undefined || change === undefined) break;
    if ('timerId' in change.target !== 'timerId' in first.target || names.has(nameOf(change.target))) break;
    if ((change.change === 'revive') !== (first.change === 'revive')) break;
    names.add(nameOf(change.target));
  }
  return changes.slice(from, to);
};

const columnsOfChanges = (changes: readonly TimerChange[]): ChangeColumns => ({
  names: changes.map((change) =>
    change.change === 'reschedule' && change.inMs !== undefined ? 'reschedule-in' : change.change,
  ),
  values: changes.map((change) => {
    if (change.change === 'reschedule') return change.dueAtMs ?? change.inMs;
    return change.change === 'shift' ? change.byMs : null;
  }),
  results: changes.map((change) => {
    if (change.change === 'set-payload') return jsonOf(change.payload);
    return change.change === 'complete' ? jsonOf(change.result) : null;
  }),
});

const runWave = async (
  wave: readonly TimerChange[],
  statements: ChangeStatements,
  tries = 1,
): Promise<readonly (ChangeOutcome | undefined)[]> => {
  if (tries > MOST_TRIES) throw new Locked('other transactions change this timer again and again');
  const changed = await changePresent(wave, statements);
  const missed = wave.filter((_, at) => changed[at] === undefined);
  if (missed.length === 0) return changed.flatMap((timer) => (timer ? { outcome: 'applied', timer } : []));
  const present = await statements.find(missed.map(({ target }) => target));
  const revived = wave[0]?.change === 'revive' ? await reviveDead(present, statements) : new Map<string, Timer>();
  const outcomes: (ChangeOutcome | undefined)[] = [];
  let next = 0;
  for (const [at, change] of wave.entries()) {
    const timer = changed[at];
    if (timer !== undefined) outcomes.push({ outcome: 'applied', timer });
    else outcomes.push(await changeOther(change, present[next++], { statements, tries, revived }));
  }
  return outcomes;
};

/** The changed rows, each at the place of its change; undefined if the timer was neither scheduled nor a dead one to end. */
const changePresent = async (
  wave: readonly TimerChange[],
  statements: ChangeStatements,
): Promise<(Timer | undefined)[]> => {
  if (wave[0]?.change === 'revive') return wave.map(() => undefined);
  const ids = wave.flatMap(({ target }) => ('timerId' in target ? target.timerId : []));
  const keys = wave.flatMap(({ target }) => ('timerId' in target ? [] : target));
  const columns = columnsOfChanges(wave);
  const isById = ids.length > 0;
  const rows = await (isById ? statements.byId(ids, columns) : statements.byKey(keys, columns));
  const byName = new Map(
    rows.map((timer) => [isById ? timer.id : nameOf({ kind: timer.kind, subject: timer.subject }), timer]),
  );
  return wave.map(({ target }) => byName.get(nameOf(target)));
};

/** The revived ones of these timers by their ids. */
const reviveDead = async (
  present: readonly (Timer | undefined)[],
  statements: ChangeStatements,
): Promise<ReadonlyMap<string, Timer>> => {
  const dead = present.flatMap((timer) => (timer?.state === 'dead' && !isOfThing(timer.id) ? timer : []));
  const revived = dead.length === 0 ? [] : await statements.revive(dead);
  return new Map(revived.map((timer) => [timer.id, timer]));
};

interface Wave {
  readonly statements: ChangeStatements;
  readonly tries: number;
  readonly revived: ReadonlyMap<string, Timer>;
}

/**
 * A timer that is scheduled, or dead and to be ended, got the key or that state while the statement waited: it is
 * changed too. For all others, returns what became of them.
 */
const changeOther = async (
  change: TimerChange,
  timer: Timer | undefined,
  { statements, tries, revived }: Wave,
): Promise<ChangeOutcome | undefined> => {
  if (timer !== undefined && isOfThing(timer.id)) return { outcome: 'derived' };
  if (timer?.state === 'completed') return { outcome: 'already-fired' };
  if (timer === undefined || timer.state === 'cancelled') return { outcome: 'not-found' };
  const isRevive = change.change === 'revive';
  if (timer.state === 'scheduled') {
    const isSo = isRevive || (change.change === 'resume' && !timer.isPaused);
    if (isSo) return { outcome: 'applied', timer };
  } else if (isRevive) {
    const written = revived.get(timer.id);
    if (written) return { outcome: 'applied', timer: written };
    // By its id, since another timer may have the key. Or another call has revived or ended this one.
    const [now] = await statements.find([{ timerId: timer.id }]);
    if (now?.state === 'dead') return { outcome: 'duplicate' };
    return changeOther(change, now, { statements, tries, revived });
  } else if (change.change !== 'cancel' && change.change !== 'complete') {
    // All other changes come too late for a dead timer.
    return { outcome: 'already-fired' };
  }
  return statements.mayGoOn ? (await runWave([change], statements, tries + 1))[0] : undefined;
};
