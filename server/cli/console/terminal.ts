import { visibleLines } from '../../../shared/text.ts';

/** Where a command runs: what it prints to, asks at, and waits with. */
export interface Terminal {
  /** One line of the response. */
  say(line: string): void;
  /** One line about the work, or a fault. */
  note(line: string): void;
  /** Writes over the last such line. Only where `isForReader`. */
  rewrite(line: string): void;
  /** A person reads the notes as they come. */
  readonly isForReader: boolean;
  /** A person is there who can answer. */
  readonly canAsk: boolean;
  ask(question: string): Promise<string>;
  monotonicMs(): number;
  pause(ms: number): Promise<void>;
  /** Aborts when the person has had enough (Ctrl-C). */
  readonly signal: AbortSignal;
  uniqueName(): string;
}

/** The terminal, with the text of strangers made harmless. Not for JSON, whose reader wants it as it is. */
export const plainly = (terminal: Terminal): Terminal => ({
  ...terminal,
  say: (line) => terminal.say(visibleLines(line)),
  note: (line) => terminal.note(visibleLines(line)),
  rewrite: (line) => terminal.rewrite(visibleLines(line)),
  ask: (question) => terminal.ask(visibleLines(question)),
});

/** A command ends with a message and an exit code: 1 found or failed, 2 used wrongly. */
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
