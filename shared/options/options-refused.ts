/** The fault of one option or argument, and its remedy. */
export interface OptionFault {
  /** Its place: `kinds[0].timeoutMs`, `timers[3].every.ms`; empty for the whole argument. */
  readonly path: string;
  readonly code: OptionFaultCode;
  /** `is 1.5`, `is missing`. A possible secret is never repeated. */
  readonly what: string;
  readonly remedy: string;
}

export type OptionFaultCode =
  | 'options/invalid'
  | 'timer/two-recurrences'
  | 'timer/bad-interval'
  | 'timer/bad-cron'
  | 'timer/bad-time-zone'
  | 'timer/bad-end'
  | 'timer/never-again'
  | 'timer/bad-misfire';

/** The most faults in the message; `faults` has all. */
const MOST_TOLD = 20;

/**
 * Invalid options or arguments: a mistake in the game's own code. Thrown before anything is started or written, with
 * all faults at once.
 */
export class OptionsRefused extends TypeError {
  /** The code of the first fault. */
  readonly code: OptionFaultCode;
  readonly retryable = false;
  readonly faults: readonly OptionFault[];

  /** `where` is the called function. */
  constructor(where: string, faults: readonly OptionFault[], options?: ErrorOptions) {
    super(`${where} refuses what it was given:\n${linesOf(faults)}`, options);
    this.name = 'OptionsRefused';
    this.code = faults[0]?.code ?? 'options/invalid';
    this.faults = faults;
  }
}

const linesOf = (faults: readonly OptionFault[]): string =>
  firstOf(faults.map(({ path, what, remedy }) => `${path || 'it'} ${what}: ${remedy}`));

/** The first faults for a message, one a line. */
export const firstOf = (faults: readonly string[]): string => {
  const lines = faults.slice(0, MOST_TOLD);
  if (faults.length > MOST_TOLD) lines.push(`and ${faults.length - MOST_TOLD} more, in \`faults\``);
  return lines.map((line) => `  - ${line}`).join('\n');
};
