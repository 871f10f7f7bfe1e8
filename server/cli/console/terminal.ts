import { visibleLines } from '../../../shared/text.ts';

/** The surroundings of a command: its output, questions and waits. */
export interface Terminal {
  /** One line of the response. */
  say(line: string): void;
  /** Prints one line about the work, or a fault. */
  note(line: string): void;
  /** Overwrites the last such line. Only if `isForReader`. */
  rewrite(line: string): void;
  /** A person reads the notes live. */
  readonly isForReader: boolean;
  /** A person can answer questions. */
  readonly canAsk: boolean;
  ask(question: string): Promise<string>;
  monotonicMs(): number;
  pause(ms: number): Promise<void>;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  uniqueName(): string;
}

/** A terminal that makes foreign text harmless. Not for JSON, which must stay exact. */
export const plainly = (terminal: Terminal): Terminal => ({
  ...terminal,
  say: (line) => terminal.say(visibleLines(line)),
  note: (line) => terminal.note(visibleLines(line)),
  rewrite: (line) => terminal.rewrite(visibleLines(line)),
  ask: (question) => terminal.ask(visibleLines(question)),
});

/** Ends a command with a message and an exit code: 1 found or failed, 2 used wrongly. */
export class CommandFault extends Error {
  readonly exitCode: 1 | 2;
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;

  constructor(message: string, exitCode: 1 | 2, code = exitCode === 2 ? 'usage' : 'failed', params: object = {}) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.params = { ...params };
  }
}

export const usageFault = (message: string): CommandFault => new CommandFault(message, 2);
