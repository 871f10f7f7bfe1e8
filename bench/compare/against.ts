import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { aligned } from '../harness/results.ts';
import { quietMachine, type Samples } from '../harness/rounds.ts';
import type { Contender, Figure, Row } from '../harness/row.ts';
import { rowsIn } from '../harness/rows-in.ts';
import { type Spread, spreadOf } from '../harness/spread.ts';
import type { Stores } from '../harness/stores.ts';
import { show, type Table } from '../harness/tables.ts';

interface Against {
  /** The other checkout. */
  readonly root: string;
  readonly stores: Stores;
  readonly isQuick: boolean;
  /** Pairs of each contender; default: the row's number of rounds. */
  readonly rounds: number | undefined;
  readonly say: (text: string) => void;
}

/**
 * Measures a row here and in another checkout, contender by contender in turn (here, there, there, here, ...), on the
 * same servers, and prints both results. Records nothing.
 */
export const runAgainst = async (row: Row, { root, stores, isQuick, rounds, say }: Against): Promise<void> => {
  const bench = { stores, isQuick };
  const theirs = await rowOf(root, row.name);
  const theirStores = await storesOf(root, stores);
  const here = await row.prepare(bench);
  const there = await theirs.prepare({ stores: theirStores, isQuick });
  if (here === undefined || there === undefined) throw new Error(`${row.name}: what it measures is not there`);
  const found = { here: new Map<string, Figures>(), there: new Map<string, Figures>() };
  try {
    for (let round = 0; round < (rounds ?? row.rounds); round += 1) {
      for (const [own, other] of inCommon(here.contenders, there.contenders)) {
        const pair = [
          { contender: own, into: found.here },
          { contender: other, into: found.there },
        ];
        for (const { contender, into } of round % 2 === 0 ? pair : pair.toReversed()) {
          await quietMachine(isQuick ? QUICK_WAIT_MS : undefined);
          say(`  ${row.name} · pair ${round + 1} · ${contender.name}, ${into === found.here ? 'here' : 'there'}`);
          keep(into, contender.name, await contender.measure());
        }
      }
    }
  } finally {
    await here.dispose?.();
    await there.dispose?.();
    await stores.drop();
    // Older checkouts drop their databases by themselves.
    await theirStores.drop?.();
  }
  const [own, other] = [found.here, found.there].map((samples): Samples => Object.fromEntries(samples));
  say(`\n${row.name}\n${aligned(pairTable(pairsOf(row.figures, own ?? {}, other ?? {})))}`);
};

/** The same servers, with the other checkout's tables. */
const storesOf = async (root: string, stores: Stores): Promise<Stores> => {
  const file = pathToFileURL(path.resolve(root, 'bench/harness/stores.ts')).href;
  const { Stores: Theirs } = (await import(file)) as { readonly Stores: new () => Stores };
  return Object.assign(new Theirs(), {
    postgresUrl: () => stores.postgresUrl(),
    redisUrl: () => stores.redisUrl(),
  });
};

/** For a quiet machine. */
const QUICK_WAIT_MS = 2_000;

type Figures = Record<string, number[]>;

const inCommon = (
  here: readonly Contender[],
  there: readonly Contender[],
): readonly (readonly [Contender, Contender])[] =>
  here.flatMap((own) => there.filter(({ name }) => name === own.name).map((other) => [own, other] as const));

const keep = (into: Map<string, Figures>, contender: string, sample: Readonly<Record<string, number>>): void => {
  const figures = into.get(contender) ?? {};
  for (const [figure, value] of Object.entries(sample)) figures[figure] = [...(figures[figure] ?? []), value];
  into.set(contender, figures);
};

/** A row of another checkout. Throws if there is none of that name. */
export const rowOf = async (root: string, name: string): Promise<Row> => {
  const row = (await rowsIn(root)).find((each) => each.name === name);
  if (row === undefined) throw new Error(`${root} has no row ${name}`);
  return row;
};

/** A figure of one contender in both checkouts. */
interface Pair {
  readonly contender: string;
  readonly figure: Figure;
  readonly here: Spread;
  readonly there: Spread;
  /** Here divided by there, pair by pair. */
  readonly ratio: Spread;
  /** All pairs, at least three, differ in the same direction: beyond their spread. */
  readonly isApart: boolean;
}

/** The figures of both, each round beside the same round of the other. */
export const pairsOf = (figures: readonly Figure[], here: Samples, there: Samples): readonly Pair[] =>
  Object.keys(here).flatMap((contender) =>
    figures.flatMap((figure) => {
      const [own = [], other = []] = [here, there].map((samples) => samples[contender]?.[figure.name]);
      const ratios = own.flatMap((value, round) => {
        const beside = other[round];
        return beside === undefined || beside === 0 ? [] : [value / beside];
      });
      if (ratios.length === 0) return [];
      const ratio = spreadOf(ratios);
      const isApart = ratios.length > 2 && (ratio.min > 1 || ratio.max < 1);
      return [{ contender, figure, here: spreadOf(own), there: spreadOf(other), ratio, isApart }];
    }),
  );

const pairTable = (pairs: readonly Pair[]): Table => [
  ['', '', 'here', 'there', 'here / there, pair by pair', ''],
  ...pairs.map(({ contender, figure, here, there, ratio, isApart }) => [
    contender,
    figure.name,
    show(here.median, figure.unit),
    show(there.median, figure.unit),
    `${ratio.median.toFixed(2)} x (${ratio.min.toFixed(2)}..${ratio.max.toFixed(2)})`,
    isApart ? 'apart' : 'within the spread',
  ]),
];
