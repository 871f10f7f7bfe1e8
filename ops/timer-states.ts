import type { OpsTimer } from '../shared/ops-answers.ts';

/** As in the protocol, whose schemas would bring their library along. */
export const timerStates = [
  'scheduled',
  'completed',
  'cancelled',
  'dead',
] as const satisfies readonly OpsTimer['state'][];
