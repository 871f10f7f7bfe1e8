import type { OpsTimer } from '../../../shared/ops/ops-timer.ts';
import { isOfThing, type Timer } from '../../timer/model/timer.ts';

export const showTimer = ({ id, ...timer }: Timer, nowMs: number): OpsTimer => ({
  timerId: id,
  ...timer,
  misfire: timer.misfire && { ...timer.misfire },
  isDerived: isOfThing(id),
  isOverdue: timer.state === 'scheduled' && timer.fireAtMs <= nowMs,
  isInCall: timer.state === 'scheduled' && timer.claimedAtMs !== undefined && timer.fireAtMs > nowMs,
});
