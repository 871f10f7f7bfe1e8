/** How long anything in a transaction may last, so that nobody waits long for one whose process is frozen. */
export interface TransactionLimits {
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
}

/** The session's default is the host's: above this level statements that have nothing to do with each other would fail. */
export const BEGIN_OURS = 'begin isolation level read committed';

/** Begins a transaction that has them by itself: so they hold on a pool of somebody else's too. */
export const beginWithin = ({ statementMs, lockMs, idleInTransactionMs }: TransactionLimits): string =>
  `${BEGIN_OURS}; set local statement_timeout = ${statementMs}; set local lock_timeout = ${lockMs};
   set local idle_in_transaction_session_timeout = ${idleInTransactionMs}`;
