import { isA } from '../../../shared/game-code.ts';
import { isConnectionFault, isPlanLost } from './world-fault.ts';

const SETTINGS = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/**
 * For statements that look up at most a few hundred rows by their keys: from here to the end of the transaction each
 * connection plans them once, even while tables are empty.
 */
export const PLANNED_ONCE = Object.entries(SETTINGS)
  .map(([name, value]) => `set local ${name} = ${value}`)
  .join('; ');

/** Other statements of the transaction, such as a handler's, are planned as usual. */
export const PLANNED_AS_USUAL = Object.keys(SETTINGS)
  .map((name) => `set local ${name} to default`)
  .join('; ');

let renewed = 0;

export const planName = (name: string): string => (renewed === 0 ? name : `${name}~${renewed}`);

/**
 * The error if its connection must be closed: the connection is lost, or its prepared statements are. If a column
 * changed its type, all connections have lost them: from now on each prepares everything anew.
 */
export const brokenBy = (error: unknown): Error | undefined => {
  if (!isA(error, Error)) return undefined;
  if (!isPlanLost(error)) return isConnectionFault(error) ? error : undefined;
  renewed += 1;
  return error;
};
