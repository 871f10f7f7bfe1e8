/** A promise of the table, with what a run for CI has to try. */
export interface PromiseRow {
  readonly row: number;
  readonly promise: string;
  /** At least so many tries of `of`, the first thing that the row's tests count. */
  readonly atLeast: number;
  readonly of: string;
}

/** The table of promises. Tests say which row they speak for (`prove`); the report adds up. */
export const promiseRows: readonly PromiseRow[] = [
  { row: 1, promise: 'safe under any interleaving', atLeast: 50_000, of: 'histories' },
  { row: 2, promise: 'every crash point of scripted paths', atLeast: 30_000, of: 'crash points' },
  { row: 3, promise: 'the suite sees bugs', atLeast: 20, of: 'planted faults, all found' },
  { row: 4, promise: 'the fakes are honest', atLeast: 2_000, of: 'sequences of commands, on fakes and on Postgres' },
  { row: 5, promise: 'no lost timer', atLeast: 100_000, of: 'timers through 20 losses of the index' },
  { row: 6, promise: 'nothing early', atLeast: 100_000, of: 'completions, clocks of processes up to 10 s wrong' },
  { row: 7, promise: 'no double effect', atLeast: 100_000, of: 'calls done twice' },
  { row: 8, promise: 'lost COMMIT answers', atLeast: 1_000, of: 'COMMITs on Postgres whose answer was lost' },
  { row: 9, promise: 'exact completion time', atLeast: 10_000, of: 'completions' },
  { row: 10, promise: 'lateness, healthy; a herd does not stop the living', atLeast: 2, of: 'recorded benches' },
  { row: 11, promise: 'lateness per fault', atLeast: 500, of: 'feedings under faults' },
  { row: 12, promise: 'stock conserved', atLeast: 500, of: 'feedings whose stock was folded from the log' },
  { row: 13, promise: 'crash recovery', atLeast: 100, of: 'kills' },
  { row: 14, promise: 'Redis Cluster failover', atLeast: 10, of: 'failovers' },
  { row: 15, promise: 'Postgres faults', atLeast: 20, of: 'times Postgres killed' },
  { row: 16, promise: 'events ordered, gap-free', atLeast: 100_000, of: 'events followed' },
  { row: 17, promise: 'bad input harmless', atLeast: 100_000, of: 'bad inputs' },
  { row: 18, promise: 'floods contained', atLeast: 1, of: 'recorded benches' },
  { row: 19, promise: 'authority', atLeast: 10_000, of: 'double-spend races' },
  { row: 20, promise: 'safe configuration', atLeast: 25, of: 'unsafe configurations' },
];
