/** Errors that say by themselves what is wrong and what to do. */
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

/** Something that the server needs is not there or not fit. The message says what to do. */
export class StartRefused extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StartRefused';
  }
}

/** What a person at the terminal reads when the server does not start: a line for what is known, a stack for the rest. */
export const explainStart = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (SELF_EXPLAINING.has(error.name)) return 'code' in error ? `${error.code}: ${error.message}` : error.message;
  return error.stack ?? error.message;
};
