/** What the processes of a database tell each other about its clock: one record. */
export interface ClockRecord {
  read(): Promise<ClockRecorded>;
  /** Writes unless another process has changed `heldByMs` from what it was `seen` as; returns whether it did. */
  note(change: NotedTime, seen: NotedTime): Promise<boolean>;
}

export interface NotedTime {
  /** The newest time that somebody trusted, a few seconds old; 0: none yet. */
  readonly trustedAtMs: number;
  /** What the database's clock shows beyond the held time; 0: nobody holds it. */
  readonly heldByMs: number;
}

export interface ClockRecorded extends NotedTime {
  /** What the database's clock shows, whatever that is worth. */
  readonly databaseMs: number;
  /** Whether the database runs on this machine, as far as its address says: then their clocks are one. */
  readonly isHere: boolean;
}
