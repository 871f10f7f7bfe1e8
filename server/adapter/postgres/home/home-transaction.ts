import type { Pool } from 'pg';
import { StoreFault } from '../../../home/model/store-fault.ts';
import { PLANNED_ONCE } from '../plans.ts';
import { type Failure, steppedTransaction, type Work } from '../stepped-transaction.ts';
import { beginWithin, type TransactionLimits } from '../transaction-limits.ts';

/** The transaction of a batch of homes, planned once. Throws a `StoreFault`. */
export const homeTransaction = (pool: Pool, limits: TransactionLimits, work: Work): Promise<void> =>
  steppedTransaction({ pool, work, begin: `${beginWithin(limits)}; ${PLANNED_ONCE}`, faultOf });

const faultOf = ({ error, progress, isConnectionLost }: Failure): StoreFault => {
  if (!isConnectionLost) return new StoreFault('failed', error);
  return new StoreFault(progress === 'committing' ? 'unknown' : 'down', error);
};
