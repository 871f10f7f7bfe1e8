import { isA } from '../../../shared/game-code.ts';
import { isConnectionFault, isPlanLost } from './world-fault.ts';

const SETTINGS = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/**
 * For statements that look up a few hundred rows at most by their keys: from here to the end of the transaction they
 * are planned once a connection, also on tables that are still empty.
 */
export const PLANNED_ONCE = Object.entries(SETTINGS)
  .map(([name, value]) => `set local ${name} = ${value}`)
  .join('; ');

/** Whatever else runs in the transaction, such as a handler's statements, is planned as the database sees fit. */
export const PLANNED_AS_USUAL = Object.keys(SETTINGS)
  .map((name) => `set local ${name} to default`)
  .join('; ');

let renewed = 0;

/** The name under which a statement is prepared. */
export const planName = (name: string): string => (renewed === 0 ? name : `${name}~${renewed}`);

/**
 * The error when its connection has to be closed: it is lost, or what was prepared on it. Where a column has another type,
 * that is so on all connections: from now on each prepares everything anew.
 */
export const brokenBy = (error: unknown): Error | undefined => {
  if (!isA(error, Error)) return undefined;
  if (!isPlanLost(error)) return isConnectionFault(error) ? error : undefined;
  renewed += 1;
  return error;
};
