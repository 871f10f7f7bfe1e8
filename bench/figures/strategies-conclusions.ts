import { pendingsOf, spreadOfFigure } from '../strategies/result/figures.ts';
import type { StrategiesResult } from '../strategies/result/measurement.ts';
import { micros, percent, time } from '../strategies/result/table.ts';
import { manyOf } from './strategy-plots.ts';

type Of = (contender: string, figure: string, pending?: number) => number;

interface Conclusion {
  /** What the text claims, of the figures: where it is false, the text is left out. */
  readonly holds: boolean;
  readonly text: string;
}

/** What the figures say; sentences by hand, each only while its figures bear it out. */
export const conclusionsOf = (result: StrategiesResult): readonly string[] =>
  drawn(result).flatMap(({ holds, text }) => (holds ? [text] : []));

/** Sentences that the figures do not bear out, for whoever recorded anew. */
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
      text: `**The period is the lateness.** Half of the timers are later than ${time(of('table scan, each minute', 'lateP50'))} where the table is asked each minute, ${time(of(indexed, 'lateP50'))} each second, ${time(of('delay queue, each 2 s', 'lateP50'))} each two seconds, ${time(of(zset, 'lateP50'))} each 100 ms. Who is woken is ${time(of(redis, 'lateP50'))} late in Redis and ${time(of(wheel, 'lateP50'))} on the wheel.`,
    },
    {
      holds: growth(scan) > 2 && growth(pages) > 2 && growth(indexed) < growth(scan) / 2,
      text: `**A scan pays for what only waits.** Each second it takes ${both(scan)}; by pages ${both(pages)}; with an index on the due time ${both(indexed)}. The fault is the scan's, not the table's.`,
    },
    {
      holds: growth(wheel) < 2,
      text: `**A wheel that sleeps until the next due time pays nothing for the rest.** Kibble's takes ${both(wheel)} while nothing is due. The index in Redis, whose sixteen shards are looked into each second too, since a hint may be lost, takes ${both(redis)}.`,
    },
    {
      holds: of(redis, 'fireCpu') > 1.5 * of(indexed, 'fireCpu'),
      text: `**Being in time has its price.** Who looks once a second takes a thousand timers at once; who is woken for each cannot. To fire one costs ${micros(of(redis, 'fireCpu'))} of CPU in Kibble's index in Redis and ${micros(of(wheel, 'fireCpu'))} on its wheel, ${micros(of(indexed, 'fireCpu'))} in a table with an index, ${micros(of(ring, 'fireCpu'))} in a ring. One by one from a ZSET it is ${micros(of(zset, 'fireCpu'))}, and late all the same.`,
    },
    {
      holds: of(zsets, 'idle') > 1.5 * of(zset, 'idle'),
      text: `**More keys cost more polling.** ${percent(of(zsets, 'idle'))} of a core idle with 16 ZSETs, ${percent(of(zset, 'idle'))} with one; both whatever waits.`,
    },
    {
      holds: of(ring, 'scheduleCpu') < of(redis, 'scheduleCpu') && of(ring, 'idle', most) < of(scan, 'idle', most),
      text: `**A ring in memory is cheap, and forgets.** ${micros(of(ring, 'scheduleCpu'))} to schedule, ${micros(of(ring, 'fireCpu'))} to fire, ${percent(of(ring, 'idle'))} of a core idle, the stores' own share in it. But it is late by up to a second (${time(of(ring, 'lateMax'))} at most), and gone with its process.`,
    },
    {
      holds: of(engine, 'idle') > of(indexed, 'idle'),
      text: `**The engine is not the idlest.** With its sweeps, its sixteen shards and its watch over the clock it takes ${percent(of(engine, 'idle'))} of a core while nothing is due; the table with an index, asked each second, takes ${percent(of(indexed, 'idle'))}.`,
    },
    {
      holds: of(engine, 'scheduleCpu') > of(redis, 'scheduleCpu'),
      text: `**Durable is not free.** The whole engine, a row for each timer and its state, takes ${micros(of(engine, 'scheduleCpu'))} to schedule, ${micros(of(engine, 'fireCpu'))} to fire and ${micros(of(engine, 'moveCpu'))} to move, where its index alone takes ${micros(of(redis, 'scheduleCpu'))}, ${micros(of(redis, 'fireCpu'))} and ${micros(of(redis, 'moveCpu'))}; half of its timers are later than ${time(of(engine, 'lateP50'))}.`,
    },
  ];
};
