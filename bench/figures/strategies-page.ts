import { madeBy } from '../harness/machine.ts';
import { markdown } from '../harness/results.ts';
import {
  micros,
  pendingsOf,
  percent,
  type StrategiesResult,
  spreadOfFigure,
  tableOf,
  time,
} from '../strategies/result/results.ts';
import { contenders } from '../strategies/systems/contenders.ts';
import { manyOf } from './plots.ts';

/** `docs/record/strategies.md`: words by hand, figures from the record. */
export const strategiesPageOf = (result: StrategiesResult): string => {
  const pendings = pendingsOf(result);
  const many = manyOf(pendings);
  const count = (value: number): string => value.toLocaleString('en');
  return `# Strategies, measured

Articles about timers for games and shops describe systems, with the lateness and the cost of each. Here these
systems do the same work side by side, each built with the least code that keeps its meaning
([bench/strategies](../../bench/strategies)), beside this project's own index, wheel and engine. \`npm run figures\` writes
this page from [the record](../../bench/results/strategies.json).

| system | what it does | what is lost when its process dies | can it be moved |
|---|---|---|---|
| table scan, each minute or second | a command of cron asks the whole table for what is due | nothing | yes, its row |
| table scan, by pages | a daemon reads all waiting rows, 1,000 a page, and picks the due ones; it begins again a second after the end | nothing | yes, its row |
| table with an index, each second | not in the articles: the best case of a table | nothing | yes, its row |
| delay queue, each 2 s | a table with parameters, tries and status, and a ZSET of its ids; a loop takes the due ones of the last day and runs those that still wait | nothing; the ZSET needs the table's help when Redis loses it | only cancelled and queued anew |
| ring in memory | 3,600 slots, one a second; each second the cursor reads its slot, and a timer of a later turn loses a cycle | everything | yes, if the caller knows its old time |
| ring in Redis lists | the same, a slot a list; a taken cell is overwritten with a marker, then the markers are removed | the cursor; timers that come due meanwhile wait for another turn, an hour | yes, by a search of its slot |
| wheels of h, min and s | a timer falls from the wheel of hours to that of minutes and that of seconds | everything | yes, if the caller knows its old time |
| one ZSET, polled | reads the smallest score, runs its timer if it is due, else sleeps 100 ms | timers that were removed and not run | yes, unless it was removed |
| 16 ZSETs, polled | several keys by a hash, a loop each; a ZSET for each owner; a queue to workers | timers that a worker received and did not run | yes, unless it was removed |
| Kibble's index in Redis | 16 shards, each woken for its earliest timer; a stream to workers, who acknowledge | the last second of Redis at most; the engine refills it from the rows | yes |
| Kibble's wheel | six levels to the millisecond, woken for the earliest | everything; the engine refills it from the rows | yes |
| Kibble: rows and Redis | a row in Postgres for each timer and its state, and the index | nothing | yes |

A strategy is not an engine: the rings, the ZSETs and Kibble's index and wheel hand a timer off, but do not guarantee
that its effect happens once. The last row guarantees it: the whole engine, with a row in Postgres for each timer.

## With ${count(many)} waiting

${markdown(tableOf(result, many))}

Lateness is the time from the due time until a worker has the timer. CPU is per timer, of the process and the stores together,
with ${count(result.sizes.duePerSec)} due a second. Idle is the percentage of one core while nothing is due; the stores' share includes their
own work. Bytes are heap, memory of Redis, and tables and indexes on disk.

![Lateness of each system](../images/strategies-lateness.svg)

![Cost of each system while nothing is due](../images/strategies-idle.svg)

![CPU of a timer in each system](../images/strategies-cpu.svg)

## What follows from the figures

${conclusionsOf(result)
  .map((text) => `- ${text}`)
  .join('\n')}

The articles leave two questions open. First, count the cycle number of a ring from the slot's next turn: with the other
common formula, floor((cursor + delay) / slots), a timer whose slot is behind the cursor waits an hour too
long (\`test/contract/strategies.test.ts\`). Second, reading a ZSET's smallest member and removing it are two steps: a timer
that is moved between the steps runs at its old time. Kibble's script does both in one step.

## How it was measured

${madeBy(result)}. ${roundsOf(result)}

Each system ran in its own process on an emptied Redis (append-only file, fsync each second) and a new database of a
Postgres with fsync. ${pendings.map(count).join(', ')} timers wait, due in four to eight hours; ${count(result.sizes.moves)} of them
move by an hour; ${count((result.sizes.duePerSec * result.sizes.dueForMs) / 1_000)} more are scheduled, 100 a call, and come due one after the other within ${result.sizes.dueForMs / 1_000} s, the first fifth
not counted. Real time, one clock. Only ${virtualNames()} runs on its own clock: a whole minute
of timers waits for the turn at its end, which begins in time and lasts its real time; its idle cost is that
of one turn without due timers, per minute. A run fails if a timer comes early, twice or not at all.

To repeat it: \`npm run bench:strategies\`, on a quiet machine; it writes this page too.
`;
};

const virtualNames = (): string =>
  contenders
    .filter(({ isVirtual }) => isVirtual)
    .map(({ name }) => `"${name}"`)
    .join(' and ');

/** The spread of the rounds. */
const roundsOf = ({ measurements }: StrategiesResult): string => {
  const rounds = Math.max(...measurements.map(({ round }) => round)) + 1;
  const failures = measurements.flatMap(({ contender, pending, failed }) =>
    failed === undefined ? [] : [` ${contender} with ${pending} waiting: ${failed}.`],
  );
  const said =
    rounds === 1
      ? 'One round: the spread is not known, so no difference below a factor of two is a finding.'
      : `Medians of ${rounds} rounds.`;
  return said + failures.join('');
};

type Of = (contender: string, figure: string, pending?: number) => number;

interface Conclusion {
  /** Whether the figures support the text; if not, the text is left out. */
  readonly holds: boolean;
  readonly text: string;
}

/** Conclusions by hand, each only while its figures support it. */
export const conclusionsOf = (result: StrategiesResult): readonly string[] =>
  drawn(result).flatMap(({ holds, text }) => (holds ? [text] : []));

/** Sentences of the page that the recorded figures contradict. */
export const refutedBy = (result: StrategiesResult): readonly string[] =>
  drawn(result).flatMap(({ holds, text }) => (holds ? [] : [text]));

const drawn = (result: StrategiesResult): readonly Conclusion[] => {
  const pendings = pendingsOf(result);
  const [fewest = 0, many, most = 0] = [pendings[0], manyOf(pendings), pendings.at(-1)];
  const of: Of = (contender, figure, pending = many) =>
    spreadOfFigure(result, { contender, pending, figure })?.median ?? Number.NaN;
  const both = (contender: string): string =>
    `${percent(of(contender, 'idle', fewest))} of a core with ${fewest.toLocaleString('en')} waiting and ${percent(of(contender, 'idle', most))} with ${most.toLocaleString('en')}`;
  const growth = (contender: string): number => of(contender, 'idle', most) / of(contender, 'idle', fewest);
  const [scan, pages, indexed] = [
    'table scan, each second',
    'table scan, by pages',
    'table with an index, each second',
  ];
  const [redis, wheel, engine] = ["Kibble's index in Redis", "Kibble's wheel", 'Kibble: rows and Redis'];
  const [zset, zsets, ring] = ['one ZSET, polled', '16 ZSETs, polled', 'ring in memory'];
  return [
    {
      holds: of(redis, 'lateP50') < of(zset, 'lateP50') / 2 && of(zset, 'lateP50') < of(indexed, 'lateP50') / 2,
      text: `**The period is the lateness.** Half of the timers are later than ${time(of('table scan, each minute', 'lateP50'))} if the table is polled each minute, ${time(of(indexed, 'lateP50'))} each second, ${time(of('delay queue, each 2 s', 'lateP50'))} each two seconds, ${time(of(zset, 'lateP50'))} each 100 ms. A timer that wakes its loop is ${time(of(redis, 'lateP50'))} late in Redis and ${time(of(wheel, 'lateP50'))} on the wheel.`,
    },
    {
      holds: growth(scan) > 2 && growth(pages) > 2 && growth(indexed) < growth(scan) / 2,
      text: `**A scan pays for waiting timers.** Each second it takes ${both(scan)}; by pages ${both(pages)}; with an index on the due time ${both(indexed)}. The scan costs, not the table.`,
    },
    {
      holds: growth(wheel) < 2,
      text: `**A wheel that sleeps until the next due time pays nothing for the rest.** Kibble's takes ${both(wheel)} while nothing is due. The index in Redis, which also polls each of its sixteen shards every second in case a hint is lost, takes ${both(redis)}.`,
    },
    {
      holds: of(redis, 'fireCpu') > 1.5 * of(indexed, 'fireCpu'),
      text: `**Being in time has its price.** A loop that polls once a second takes a thousand timers at once; a loop that wakes for each timer cannot. Firing one timer costs ${micros(of(redis, 'fireCpu'))} of CPU in Kibble's index in Redis and ${micros(of(wheel, 'fireCpu'))} on its wheel, ${micros(of(indexed, 'fireCpu'))} in a table with an index, ${micros(of(ring, 'fireCpu'))} in a ring, one by one from a ZSET ${micros(of(zset, 'fireCpu'))}, and the timer is still late.`,
    },
    {
      holds: of(zsets, 'idle') > 1.5 * of(zset, 'idle'),
      text: `**More keys cost more polling.** ${percent(of(zsets, 'idle'))} of a core idle with 16 ZSETs, ${percent(of(zset, 'idle'))} with one; the number of waiting timers does not matter.`,
    },
    {
      holds: of(ring, 'scheduleCpu') < of(redis, 'scheduleCpu') && of(ring, 'idle', most) < of(scan, 'idle', most),
      text: `**A ring in memory is cheap, and forgets.** ${micros(of(ring, 'scheduleCpu'))} to schedule, ${micros(of(ring, 'fireCpu'))} to fire, ${percent(of(ring, 'idle'))} of a core idle, with the stores' own share. But it is late by up to a second (${time(of(ring, 'lateMax'))} at most), and gone with its process.`,
    },
    {
      holds: of(engine, 'idle') > of(indexed, 'idle'),
      text: `**The engine is not the idlest.** With its sweeps, its sixteen shards and its clock watch it takes ${percent(of(engine, 'idle'))} of a core while nothing is due; the table with an index, polled each second, takes ${percent(of(indexed, 'idle'))}.`,
    },
    {
      holds: of(engine, 'scheduleCpu') > of(redis, 'scheduleCpu'),
      text: `**Durability is not free.** The whole engine, with a row for each timer and its state, takes ${micros(of(engine, 'scheduleCpu'))} to schedule, ${micros(of(engine, 'fireCpu'))} to fire and ${micros(of(engine, 'moveCpu'))} to move; its index alone takes ${micros(of(redis, 'scheduleCpu'))}, ${micros(of(redis, 'fireCpu'))} and ${micros(of(redis, 'moveCpu'))}; half of its timers are later than ${time(of(engine, 'lateP50'))}.`,
    },
  ];
};
