/** The tries that a promise needs in a run. */
export interface Want {
  /** The name of the tries, in the plural, as a test gives it to `prove`. */
  readonly of: string;
  readonly atLeast: number;
  /** It takes too long for every report: a recorded run of the same tree counts. */
  readonly isRecorded?: true;
}

/** A promise of the table, shown when every want is met and nothing of it failed. */
export interface PromiseRow {
  readonly row: number;
  readonly promise: string;
  readonly wants: readonly Want[];
  /** Other counts of tests, which no promise needs. */
  readonly extras?: readonly string[];
  /** The known reason, for a report that does not show the promise. */
  readonly ifNotShown?: string;
}

/** Each want as [at least, of]. */
const wants = (...pairs: readonly (readonly [atLeast: number, of: string])[]): readonly Want[] =>
  pairs.map(([atLeast, of]) => ({ of, atLeast }));

/** The table of promises. Tests say which row they speak for (`prove`); the report adds up. */
export const promiseRows: readonly PromiseRow[] = [
  { row: 1, promise: 'safe under any interleaving', wants: wants([50_000, 'histories']) },
  {
    row: 2,
    promise: 'every crash point of scripted paths',
    wants: wants([40, 'scenarios broken at each of their points'], [30_000, 'crash points']),
  },
  { row: 3, promise: 'the suite sees bugs', wants: wants([20, 'planted faults, all found']) },
  {
    row: 4,
    promise: 'the fakes are honest',
    wants: wants(
      [2_000, 'sequences of commands, on fakes and on Postgres'],
      [2_000, 'sequences of commands, on fakes and on Redis'],
      [1_000, 'histories played twice'],
    ),
  },
  {
    row: 5,
    promise: 'no lost timer',
    wants: wants(
      [100_000, 'timers through losses of the index'],
      [20, 'losses of the index'],
      [1, 'losses by FLUSHALL'],
      [1, 'losses by an old append-only file'],
      [1, 'times Redis was out of memory'],
      [1, 'times Redis was away for 60 s'],
    ),
    extras: ['losses of the index under load', 'reshards under load', 'times Redis frozen under load'],
  },
  {
    row: 6,
    promise: 'nothing early, by the checker’s own clock',
    wants: wants(
      [100_000, 'fires beside wrong clocks'],
      [1, 'clocks of processes wrong by 1 h, either way'],
      [1, 'clocks of processes wrong by 4 h, either way'],
      [1, 'clocks of processes 60 times as fast'],
      [1, 'steps of the clock of Postgres'],
      [1, 'early hints'],
      [1, 'timers moved later while in flight'],
    ),
    extras: [
      'completions, clocks of processes up to 10 s wrong',
      'timers beside a jump of the clock of a real Postgres',
    ],
  },
  {
    row: 7,
    promise: 'no double effect',
    wants: wants([100_000, 'deliveries doubled and shuffled'], [1, 'workers stopped for 6 s and resumed']),
    extras: ['calls done twice', 'turns of own timers (simulated)'],
  },
  {
    row: 8,
    promise: 'lost COMMIT answers',
    wants: wants([1_000, 'COMMITs on Postgres whose answer was lost'], [400, 'of them really committed']),
    extras: ['commits whose answer was lost (simulated)', 'transactions of games with calls of timers (simulated)'],
  },
  {
    row: 9,
    promise: 'exact completion time',
    wants: wants([10_000, 'duels of card and fire within 5 ms'], [10_000, 'completions']),
  },
  {
    row: 10,
    promise: 'lateness, healthy; a herd does not stop the living',
    wants: wants(
      [2, 'runs of 100 due a second, p99 <= 50 ms and max <= 500 ms'],
      [3, 'herds of 100,000, commands p99 <= 150 ms'],
    ),
    ifNotShown: 'What limits it, and what was tried, is in docs/record/performance.md.',
  },
  {
    row: 11,
    promise: 'lateness per fault',
    wants: wants(
      [500, 'feedings under faults'],
      [1, 'workers killed, max 7 s late'],
      [1, 'FLUSHALLs, max 7 s late'],
      [1, 'times Redis away, max 10 s late'],
      [1, 'failovers of a master, max 10 s late'],
      [1, 'times Postgres away, max 5 s late beyond that'],
    ),
  },
  {
    row: 12,
    promise: 'stock conserved',
    wants: wants(
      [500, 'feedings whose stock was folded from the log'],
      [500, 'looks at the stock while chaos lasts, one a second'],
    ),
  },
  {
    row: 13,
    promise: 'crash recovery',
    wants: wants(
      [100, 'kills'],
      [1, 'kills of workers'],
      [1, 'kills of gateways'],
      [1, 'kills of the embedded process'],
      [1, 'kills of everything'],
      [100_000, 'timers armed again within 3 s'],
    ),
  },
  {
    row: 14,
    promise: 'Redis Cluster failover',
    wants: wants([10, 'failovers'], [3, 'failovers with a loss of the index']),
  },
  {
    row: 15,
    promise: 'Postgres faults',
    wants: wants(
      [20, 'times Postgres killed'],
      [1, 'terminated backends'],
      [1, 'connections that went silent'],
      [1, 'servers frozen in a transaction'],
      [20, 'times serving within 5 s again'],
    ),
  },
  {
    row: 16,
    promise: 'events ordered, gap-free',
    wants: wants(
      [200, 'players followed'],
      [100_000, 'events followed'],
      [1, 'dropped clients'],
      [1, 'slow readers'],
      [1, 'gateways killed while followed'],
    ),
  },
  {
    row: 17,
    promise: 'bad input harmless',
    wants: wants([100_000, 'bad inputs'], [1, 'players beside bad input, p99 <= 100 ms']),
  },
  {
    row: 18,
    promise: 'floods contained',
    wants: wants(
      [7, 'floods, at most 64 MB beside the rooms'],
      [7, 'players beside floods, p99 <= 100 ms'],
      [3, 'benches of floods, at most 64 MB and p99 <= 100 ms'],
    ),
    extras: ['floods'],
  },
  {
    row: 19,
    promise: 'authority',
    wants: wants(
      [1, 'messages with foreign ids'],
      [1, 'routes with foreign ids'],
      [60, 'bad tokens'],
      [1, 'claims smuggled through the guest sign-in'],
      [1, 'joins by id and reused seats'],
      [10_000, 'double-spend races on 8 sockets and 2 gateways'],
      [50_000, 'replays'],
    ),
    extras: ['double-spend races'],
  },
  {
    row: 20,
    promise: 'safe configuration',
    wants: wants(
      [25, 'unsafe configurations'],
      [1, 'routes asked without a token'],
      [1, 'logs searched for secrets'],
      [1, 'audits of the packages'],
    ),
    ifNotShown: 'A registry that answers `npm audit` with an error shows nothing.',
  },
  {
    row: 21,
    promise: 'nothing waits for anything else',
    wants: wants(
      [400, 'hanging calls, on the wheel'],
      [400, 'hanging calls, on Redis with 1 process'],
      [400, 'hanging calls, on Redis with 3 processes'],
      [1, 'handlers that always fail'],
      [1, 'handlers that block for their whole time-out'],
      // Twenty in each of the three.
      [60, 'lost puts fired within 7 s'],
    ),
  },
  {
    row: 22,
    promise: 'modules share a home',
    wants: [
      { of: 'histories of two modules and one item', atLeast: 100_000, isRecorded: true },
      { of: 'histories with random rules of works', atLeast: 10_000 },
    ],
    ifNotShown: 'The others are a run of an hour, by hand (test/modules/works/shared-item.test.ts).',
  },
  {
    row: 23,
    promise: 'state and rows',
    wants: wants([20_000, 'homes'], [10_000, 'due times removed, moved, put off or brought forward']),
  },
  { row: 24, promise: 'upgrade', wants: wants([1, 'databases of the release before, upgraded while clients play']) },
  {
    row: 25,
    promise: 'the suite sees bugs, by machine',
    wants: [{ of: 'of timer, home, module rules and Lua, >= 90 % killed', atLeast: 4, isRecorded: true }],
    ifNotShown: 'What was not tried, and every mutant that survived, is named in docs/record/mutation.md.',
  },
  {
    row: 26,
    promise: 'longevity',
    wants: [{ of: 'minutes of steady play with restarts', atLeast: 30, isRecorded: true }],
  },
  {
    row: 27,
    promise: 'one truth',
    wants: wants(
      [100_000, 'timers, own and of things, beside a broken index'],
      [10_000, 'entries of the index removed, moved or doubled'],
      [1_000, 'due times of things changed by hand'],
    ),
  },
  {
    row: 28,
    promise: 'rules change in play',
    wants: [
      { of: 'histories with changes of rules, on two processes', atLeast: 100_000, isRecorded: true },
      ...wants([100, 'changes of rules under faults'], [1, 'hours of a designer on two nodes']),
    ],
    ifNotShown: 'The others are a run of an hour, by hand (test/modules/works/shared-item.test.ts).',
  },
  {
    row: 29,
    promise: 'chance',
    wants: wants(
      [1_000, 'logs settled in other pieces, on other nodes'],
      [1_000_000, 'draws by weights'],
      [20, 'planted faults of chance, all found'],
    ),
  },
  {
    row: 30,
    promise: 'hostile game code and options',
    wants: wants(
      [1_000, 'bad values of options'],
      [150, 'hostile returns and throws of callbacks'],
      [100, 'hostile returns and throws of rules'],
    ),
  },
  {
    row: 31,
    promise: 'surroundings',
    wants: wants(
      [1, 'disks of Postgres that were full'],
      [4, 'ways in which Postgres takes no changes'],
      [1, 'networks that fell silent'],
      [1, 'pools that were used up'],
      [1, 'columns whose type changed'],
      [1, 'times the own Postgres was killed'],
      [6, 'kinds of trouble with Redis'],
      [3, 'flavours of Redis'],
      [1, 'machines that died without a word'],
      [1_024, 'shards, opened and refilled'],
    ),
  },
  {
    row: 32,
    promise: 'hand-over',
    wants: wants(
      [1, 'hand-overs in one process, under play'],
      [1, 'deploys without Redis'],
      [1, 'restarts of every process in turn, under play'],
      [1, 'restarts of gateways behind nginx'],
    ),
  },
];

/** The row of this number; throws when there is none. */
export const rowOf = (row: number, rows = promiseRows): PromiseRow => {
  const found = rows.find((each) => each.row === row);
  if (!found) throw new Error(`there is no row ${row}; there are ${rows.map((each) => each.row).join(', ')}`);
  return found;
};

/** Throws when the table does not know what was tried: a misspelt name would count for nothing. */
export const checkDeclared = (tried: { readonly row: number; readonly of: string }, rows = promiseRows): void => {
  const { row, wants, extras = [] } = rowOf(tried.row, rows);
  const known = [...wants.map(({ of }) => of), ...extras];
  if (!known.includes(tried.of)) throw new Error(`row ${row} knows no “${tried.of}”, but: ${known.join(' | ')}`);
};
