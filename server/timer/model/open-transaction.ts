import { value } from '../../../shared/options/shapes.ts';
import { TransactionRefused } from './timer-errors.ts';
import type { Tx } from './timer-store.ts';

/** A pool would run each statement in a transaction of its own. */
export const openTransaction = value<Tx>(
  (given) => typeof (given as Partial<Tx> | null | undefined)?.query === 'function' && !('totalCount' in Object(given)),
  'give an object with query() that is an open transaction: a client of the pool, after `begin`, not the pool',
);

/** Without a transaction a home's lock would not last, and its log would differ from its rows for ever. */
export const refuseIfNone = async (tx: Tx & { getTransactionStatus?(): unknown }): Promise<void> => {
  if (tx.getTransactionStatus?.() !== 'I') return;
  // A `begin` that is not awaited is sent before this.
  await tx.query('select 1', []);
  if (tx.getTransactionStatus() === 'I') {
    throw new TransactionRefused('transaction/none', 'tx has no open transaction: send `begin` on it first');
  }
};
