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

/** The most faults in the message. */
const MOST_TOLD = 20;
/** The most faults in `faults`: reading stops behind them. */
export const MOST_FAULTS = 100;

/**
 * Invalid options or arguments: a mistake in the game's own code. Thrown before anything is started or written, with
 * all faults at once, at most 100.
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
    this.faults = faults.slice(0, MOST_FAULTS);
  }
}

const linesOf = (faults: readonly OptionFault[]): string => {
  const first = faults.slice(0, MOST_FAULTS).map(({ path, what, remedy }) => `${path || 'it'} ${what}: ${remedy}`);
  return `${firstOf(first)}${faults.length > MOST_FAULTS ? '; there may be others' : ''}`;
};

/** The first faults for a message, one a line. */
export const firstOf = (faults: readonly string[]): string => {
  const lines = faults.slice(0, MOST_TOLD);
  if (faults.length > MOST_TOLD) lines.push(`and ${faults.length - MOST_TOLD} more, in \`faults\``);
  return lines.map((line) => `  - ${line}`).join('\n');
};
