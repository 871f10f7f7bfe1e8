/** A clock besides the database's. What it shows does not matter, only how far it has come. */
export interface ClockWitness {
  readonly name: string;
  /** Whether an operator or NTP may set it, as they may the database's: on one machine it is the same clock. */
  readonly isSettable: boolean;
  /** Milliseconds. May throw: then it says nothing. */
  read(): number | Promise<number>;
}
