import { GameFault, isA } from '../../../../shared/game-code.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { EngineLog } from '../../../runtime/engine-log.ts';
import { throttle } from '../../../runtime/throttle.ts';
import type { Observe } from '../../model/engine-event.ts';

const EVERY_MS = 1000;
const said = {
  failed: 'a timer failed, and is tried again',
  stuck: 'the owner of a timer could not be settled, and is tried again',
  dead: 'a timer is dead: it stays until somebody revives or cancels it',
} as const;

/** Writes a line for each attempt that failed: for each kind one a second, and one of those that died, with the number left out. */
export const attemptLog = (log: EngineLog, clock: Pick<Clock, 'monotonicMs'>): Observe => {
  const limit = throttle(clock, EVERY_MS);
  return (event) => {
    if (event.type !== 'failed' && event.type !== 'dead' && event.type !== 'stuck') return;
    const { kind, id: timerId, attempt } = event.timer;
    const { error } = event;
    const told = limit(`${event.type === 'dead'} ${kind}`);
    if (!told) return;
    const err = isA(error, GameFault) ? error : new GameFault(`timer of kind "${kind}"`, error);
    const level = event.type === 'dead' ? 'error' : 'warn';
    log[level]({ err, kind, timerId, attempt: attempt + 1, leftOut: told.leftOut }, said[event.type]);
  };
};
