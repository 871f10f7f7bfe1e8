import { GameFault, isA } from '../../../../shared/game-code.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { EngineLog } from '../../../runtime/engine-log.ts';
import { throttle } from '../../../runtime/throttle.ts';
import type { Observe } from '../../model/engine-event.ts';

const EVERY_MS = 1000;

/** Writes of each kind one line a second for attempts that failed, one for those that died, with the number left out. */
export const attemptLog = (log: EngineLog, clock: Pick<Clock, 'monotonicMs'>): Observe => {
  const limit = throttle(clock, EVERY_MS);
  return (event) => {
    if (event.type !== 'failed' && event.type !== 'dead' && event.type !== 'stuck') return;
    const { kind, id: timerId } = event.timer;
    const told = limit(`${event.type} ${kind}`);
    if (!told) return;
    const attempt = event.timer.attempt + 1;
    const err = isA(event.error, GameFault) ? event.error : new GameFault(`timer of kind "${kind}"`, event.error);
    if (event.type === 'dead') log.error({ err, kind, timerId, attempt, leftOut: told.leftOut }, 'a timer is dead');
    else log.warn({ err, kind, timerId, attempt, leftOut: told.leftOut }, 'a timer failed, and is tried again');
  };
};
