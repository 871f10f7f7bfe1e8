import type { OpsTimer } from '../../shared/ops/ops-timer.ts';

/** As in the protocol, whose schemas would bring their library along. */
export const timerStates = [
  'scheduled',
  'completed',
  'cancelled',
  'dead',
] as const satisfies readonly OpsTimer['state'][];
