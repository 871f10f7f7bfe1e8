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
