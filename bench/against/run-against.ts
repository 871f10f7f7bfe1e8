import { quietMachine } from '../harness/quiet.ts';
import { aligned } from '../harness/report/report.ts';
import type { Samples } from '../harness/rounds.ts';
import type { Contender, Row } from '../harness/row.ts';
import type { Stores } from '../harness/stores.ts';
import { pairsOf, pairTable } from './pairs.ts';
import { rowOf } from './row-of.ts';

export interface Against {
  /** The other checkout. */
  readonly root: string;
  readonly stores: Stores;
  readonly isQuick: boolean;
  /** Pairs of each contender; default: as many as the row has rounds. */
  readonly rounds: number | undefined;
  readonly say: (text: string) => void;
}

/**
 * Measures a row here and in another checkout, contender by contender in turn (here, there, there, here, ...), on the same
 * servers, and prints what both did. Records nothing.
 */
export const runAgainst = async (row: Row, { root, stores, isQuick, rounds, say }: Against): Promise<void> => {
  const bench = { stores, isQuick };
  const here = await row.prepare(bench);
  const there = await (await rowOf(root, row.name)).prepare(bench);
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
    await here.dispose();
    await there.dispose();
  }
  const [own, other] = [found.here, found.there].map((samples): Samples => Object.fromEntries(samples));
  say(`\n${row.name}\n${aligned(pairTable(pairsOf(row.figures, own ?? {}, other ?? {})))}`);
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
