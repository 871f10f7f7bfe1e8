import { explainStart } from '../wiring/explain-start.ts';

/** The text for a failed command: one sentence if the database failed, because a stack would not explain more. */
export const explainFailure = (error: unknown): string => {
  if (!(error instanceof Error) || !isOfDatabase(error)) return explainStart(error);
  return `the database failed: ${error.message.replace(/\.?$/, '')}. What was done before is kept; run the command again.`;
};

/** Our faults have a name; the driver's have an SQLSTATE, or come from a lost connection. */
const isOfDatabase = (error: Error): boolean =>
  error.name === 'StoreFault' ||
  'severity' in error ||
  /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect)/.test(error.message) ||
  ('syscall' in error && 'code' in error);
