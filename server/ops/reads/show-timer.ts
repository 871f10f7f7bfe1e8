import type { OpsTimer } from '../../../shared/ops/ops-timer.ts';
import type { Timer } from '../../timer/model/timer.ts';

/** Kinds that follow from a state, and that nobody writes directly. */
export type DerivedKinds = () => readonly string[];

interface Seen {
  readonly nowMs: number;
  readonly derivedKinds: DerivedKinds;
}

export const showTimer = ({ id, ...timer }: Timer, { nowMs, derivedKinds }: Seen): OpsTimer => ({
  timerId: id,
  ...timer,
  misfire: timer.misfire && { ...timer.misfire },
  isDerived: derivedKinds().includes(timer.kind),
  isOverdue: timer.state === 'scheduled' && timer.fireAtMs <= nowMs,
  isInCall: timer.state === 'scheduled' && timer.claimedAtMs !== undefined && timer.fireAtMs > nowMs,
});
