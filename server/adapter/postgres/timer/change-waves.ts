import type { Timer } from '../../../timer/model/timer.ts';
import type { ChangeOutcome, SeenTimer, TimerChange, TimerTarget } from '../../../timer/model/timer-store.ts';
import { type Key, keyOf } from './timer-key.ts';

export interface ChangeStatements {
  readonly derivedKinds: readonly string[];
  byId(ids: readonly string[], changes: readonly string[], values: readonly number[]): Promise<readonly Timer[]>;
  byKey(keys: readonly Key[], changes: readonly string[], values: readonly number[]): Promise<readonly Timer[]>;
  find(targets: readonly TimerTarget[]): Promise<readonly (Timer | undefined)[]>;
  /** Of a dead timer, if it is still as it was seen. A key that was taken since is not revived. */
  dead(change: 'cancelDead' | 'revive', seen: SeenTimer): Promise<readonly Timer[]>;
}

/**
 * Applies changes in their order with as few statements as that allows. One statement cannot change a row twice, and
 * an id and a key may mean the same row; so a wave holds targets of one form, none twice.
 */
export const changesInWaves = async (
  changes: readonly TimerChange[],
  statements: ChangeStatements,
): Promise<readonly ChangeOutcome[]> => {
  const outcomes: ChangeOutcome[] = [];
  for (let from = 0; from < changes.length; ) {
    const wave = nextWave(changes, from);
    outcomes.push(...(await runWave(wave, statements)));
    from += wave.length;
  }
  return outcomes;
};

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

const amountOf = (change: TimerChange): number => {
  if (change.change === 'reschedule') return change.dueAtMs;
  return change.change === 'shift' ? change.byMs : 0;
};

const runWave = async (wave: readonly TimerChange[], statements: ChangeStatements): Promise<ChangeOutcome[]> => {
  const changed = await changeScheduled(wave, statements);
  const missed = wave.filter((_, at) => changed[at] === undefined);
  if (missed.length === 0) return changed.flatMap((timer) => (timer ? { outcome: 'applied', timer } : []));
  const present = await statements.find(missed.map(({ target }) => target));
  const outcomes: ChangeOutcome[] = [];
  let next = 0;
  for (const [at, change] of wave.entries()) {
    const timer = changed[at];
    if (timer !== undefined) outcomes.push({ outcome: 'applied', timer });
    else outcomes.push(await changeOther(change, present[next++], statements));
  }
  return outcomes;
};

/** The rows that were scheduled, changed, each in the place of its change. */
const changeScheduled = async (
  wave: readonly TimerChange[],
  statements: ChangeStatements,
): Promise<(Timer | undefined)[]> => {
  if (wave[0]?.change === 'revive') return wave.map(() => undefined);
  const ids = wave.flatMap(({ target }) => ('timerId' in target ? target.timerId : []));
  const keys = wave.flatMap(({ target }) => ('timerId' in target ? [] : target));
  const names = wave.map(({ change }) => change);
  const values = wave.map(amountOf);
  const isById = ids.length > 0;
  const rows = await (isById ? statements.byId(ids, names, values) : statements.byKey(keys, names, values));
  const byName = new Map(
    rows.map((timer) => [isById ? timer.id : nameOf({ kind: timer.kind, subject: timer.subject }), timer]),
  );
  return wave.map(({ target }) => byName.get(nameOf(target)));
};

/** A dead timer can be cancelled or revived; of any other that is not scheduled we can only say what became of it. */
const changeOther = async (
  change: TimerChange,
  timer: Timer | undefined,
  statements: ChangeStatements,
): Promise<ChangeOutcome> => {
  if (timer !== undefined && statements.derivedKinds.includes(timer.kind)) return { outcome: 'derived' };
  if (timer?.state === 'completed') return { outcome: 'already-fired' };
  if (timer?.state === 'scheduled' && change.change === 'revive') return { outcome: 'applied', timer };
  if (timer?.state !== 'dead') return { outcome: 'not-found' };
  if (change.change === 'reschedule' || change.change === 'shift') return { outcome: 'already-fired' };
  const isRevival = change.change === 'revive';
  const [changed] = await statements.dead(isRevival ? 'revive' : 'cancelDead', timer);
  if (changed !== undefined) return { outcome: 'applied', timer: changed };
  return { outcome: isRevival ? 'duplicate' : 'not-found' };
};
