/** Errors with a message that says what is wrong and what to do. */
const SELF_EXPLAINING = new Set([
  'BootRefused',
  'ConfigError',
  'DatabaseUnfit',
  'EmbeddedError',
  'RulesRefused',
  'RedisUnfit',
  'SecondProcess',
  'SecretUnsafe',
  'StartRefused',
]);

/** A part that the server needs is missing or unfit. The message says what to do. */
export class StartRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StartRefused';
  }
}

/** The text for a failed start: one line for a known error, a stack for any other. */
export const explainStart = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (SELF_EXPLAINING.has(error.name)) return 'code' in error ? `${error.code}: ${error.message}` : error.message;
  return error.stack ?? error.message;
};

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
