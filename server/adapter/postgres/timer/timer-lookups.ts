import type { Timer } from '../../../timer/model/timer.ts';
import type { TimerTarget } from '../../../timer/model/timer-changes.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { byKey, columnsOf, type Key, keyOf } from './timer-row.ts';
import type { TimerStatements } from './timer-statements.ts';

/** By key: the scheduled timer, else the last one that completed or died. */
export const findTimers = async (
  statements: TimerStatements,
  targets: readonly TimerTarget[],
  tx?: Tx,
): Promise<readonly (Timer | undefined)[]> => {
  const ids = targets.flatMap((target) => ('timerId' in target ? target.timerId : []));
  const found = ids.length === 0 ? [] : await statements.timers('findById', [ids], tx);
  const byId = new Map(found.map((timer) => [timer.id, timer]));
  const keys = targets.flatMap((target) => ('timerId' in target ? [] : target));
  const present = await timersByKey(statements, keys, tx);
  return targets.map((target) => ('timerId' in target ? byId.get(target.timerId) : present.get(keyOf(target))));
};

export const timersByKey = async (
  statements: TimerStatements,
  keys: readonly Key[],
  tx: Tx | undefined,
): Promise<Map<string, Timer>> =>
  keys.length === 0 ? new Map() : byKey(await statements.timers('findByKey', columnsOf(keys), tx));
