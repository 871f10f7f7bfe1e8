/** Why targets are missed: the attempts and the limit. */
export interface Limit {
  /** Of `npm run bench`, or `peers`. */
  readonly rows: readonly string[];
  /** The targets, by their names in `docs/record/targets.md`. */
  readonly targets: RegExp;
  readonly why: string;
}

export const limits: readonly Limit[] = [
  {
    rows: ['peers'],
    targets: /BullMQ, always$/,
    why: `Five pairs; a target is reached if the median and four of the pairs reach it. A move on the wheel has 0.7 to 0.8 x the rate of schedule: it finds the row
by id, locks it, writes the narrow row and its index entry, and returns the whole timer. BullMQ changes a score and a hash: 33 µs of CPU
with its store; Postgres alone takes 22 to 25 for ours. With 64 calls in flight \`always\` costs BullMQ only a fifth to a quarter here, since many calls
share one fsync. A cancel has no target: ours keeps the row with its data, unless its kind has \`retentionMs: 0\`; BullMQ deletes the job.`,
  },
  {
    rows: ['peers'],
    targets: /burst, last effect <= 5 x/,
    why: `The 10,000 effects are rows committed in Postgres; timers of raw Redis begin without an effect.`,
  },
  {
    rows: ['peers'],
    targets: /x raw Redis$/,
    why: `The caller and two stores, used one after the other, share two cores. Raw Postgres, coalesced, has rows of three columns with three
indexes, and no other index to update: it does 1.06 to 1.22 x of raw Redis for schedule, 0.73 to 1.07 x for bulk, 0.60 to 0.71 x for
reschedule and 0.52 to 0.53 x for shift. The targets are the rates that one batch at a time can reach by the CPU time of Node and Postgres: 0.44, 0.25, 0.24 and 0.24 x of raw Redis on the wheel
for schedule, reschedule, shift and cancel, 0.35, 0.21, 0.21 and 0.23 x on Redis.
Kibble also has a row of fourteen columns with four index entries, a unique key, a revision, the whole row in the
result, and the index update after the commit: 16 to 21 µs of CPU in Node a call, raw Postgres 4 to 9. On Redis the second store
comes on top. Tried, with figures in [performance](performance.md#calls-of-the-timer-engine-npm-run-benchpeers-its-calls-alone): batches of 60 calls
instead of 15 (kept, 30 to 40 % less CPU), two half batches at once, one shard instead of sixteen, a change without its lock, by
\`ctid\`, with fewer columns returned, without some of the indexes. On two cores nothing else was found; with stores
on other machines the caller's 20 to 30 µs would be the limit (not measured).`,
  },
  {
    rows: ['lateness-10k', 'lateness-100k', 'lateness-1m'],
    targets: /^engine on/,
    why: `The median is 3 to 4 ms: four round trips to Postgres, the last with the commit. Stalls of 5 to 13 ms, V8's
collections of young objects, decide the p99. Tried, with figures in [performance](performance.md#lateness-npm-run-bench----lateness): no functions that hold ended
statements until the next full collection (kept, [performance](performance.md#garbage-that-statements-leave); \`ioredis\` still holds its
commands like this), fewer round trips, plans made once, smaller pages for the reconciler, no automatic pipelines (kept: on Redis 23 to 27 ms
before, 11 after), entries counted instead of read (kept: with a million waiting 0.69 x on the wheel, 0.65 x on Redis),
other settings of V8's collector (no difference beyond the noise).`,
  },
  {
    rows: ['away'],
    targets: /whole <= 0.3/,
    why: `Twenty commits of a thousand events each, so that other players do not wait long. Without other players a commit takes 19 ms (25 before
[settling ahead](performance.md#a-player-who-was-away-for-a-month-npm-run-bench----away)). Postgres takes 13 of them: 9.5 for the events' statement (5 to read it, 4 to insert with two indexes), the rest for
things, timers and the commit. Meanwhile the process settles the next thousand, in 8 ms; loading takes 1, making and sending the rows 3. All parts in
one transaction would save some 5 of the 19, but hold the home's lock during all parts.`,
  },
  {
    rows: ['many-things'],
    targets: /^a home of 200/,
    why: `A command reads all things of a home. In every shape that was tried a thing costs 5.7 µs, 2 in Postgres and 3.7 in Node, so 200
things take more than 1 ms: in Postgres, on the wire and in \`pg\`, which makes an object of
each row. Tried: one row a player with all things as one text (no difference beyond the noise, also for a home of two things), and a copy of
the map that is three times as fast (kept, twice). This was measured on the slow 27 November (see \`game-commands\`); beside 101adb7 a command takes
[0.86 x](performance.md#game-commands-npm-run-bench----game-commands).`,
  },
  {
    rows: ['game-commands'],
    targets: /^service(, one at a time)?: (perSec|p99|p50)/,
    why: `The bare SQL of the same batches does 11,300/s, and the service 0.65 x of it (with rows of pets and feedings, on another
day: 12,100/s and 0.70 x, 8,499/s, p99 60 ms). The limit is Postgres on the same cores: 183 µs a card if its statements run one after
the other, a fifth for the timer's move, a third for reading. By statement, with the attempts:
[performance](performance.md#game-commands-npm-run-bench----game-commands). On 27 November the machine was slow: the composite did 3,910/s, 5,400 to 6,800
before.`,
  },
  {
    rows: ['herd'],
    targets: /./,
    why: `Measured on the slow 27 November (see \`game-commands\`); on 23 November the wheel did 7,911/s with p99 69 ms, Redis 5,779/s. In two
pairs on that day beside the commit of the morning (1890f866) the rates were 1.05, 1.00 and 1.07 x. Commands' p99 was 0.95 x on the wheel, 1.20 x on
Redis and 1.16 x after an hour: two pairs do not show whether that is noise. The slow commands of a herd that has been due for an
hour are those of the first two seconds: connections, plans and V8's first compilation. Tried and not kept: 2,000 waiting timers a lane instead of 10,000 (no
difference), batches of fires sized by their time (p99 -30 %, but a slow database would get 3 to 12 times smaller batches), a slow start (half the rate).`,
  },
  {
    rows: ['launch-day'],
    targets: /operators' slowest/,
    why: `The overview, beside 8,000 to 10,000 commands a second on the same two cores: it counts up to 10,000 rows each of pending, overdue and
players, and without a vacuum Postgres reads each row too. It took 97 to 475 ms while the first half of the players joined, 15 to 30 ms later; the reason
was not found. When it still counted all rows, and the search by title sorted them, the slowest took 2.4 s.`,
  },
];
