import { explainStart } from '../wiring/explain-start.ts';

/** What a person reads of a command that failed: a sentence where the database did, which no stack explains any better. */
export const explainFailure = (error: unknown): string => {
  if (!(error instanceof Error) || !isOfDatabase(error)) return explainStart(error);
  return `the database failed: ${error.message.replace(/\.?$/, '')}. What was done before is kept; run the command again.`;
};

/** Ours has a name; the driver's have an SQLSTATE, or are of a connection that ended. */
const isOfDatabase = (error: Error): boolean =>
  error.name === 'StoreFault' ||
  'severity' in error ||
  /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect)/.test(error.message) ||
  ('syscall' in error && 'code' in error);
