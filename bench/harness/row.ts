import type { Stores } from './stores.ts';

/** The result of one measurement, by the figure's name. */
export type Sample = Readonly<Record<string, number>>;

/** One of the things that a row compares. */
export interface Contender {
  readonly name: string;
  /** Starts from the same state each time, and includes its own warm-up. */
  measure(): Promise<Sample>;
}

export interface Figure {
  readonly name: string;
  readonly unit: '/s' | 'ms' | 'µs' | 'B' | 'MB' | 's' | 'count' | 'exponent';
}

/** Figures of one unit. */
export const inUnit = (unit: Figure['unit'], ...names: readonly string[]): readonly Figure[] =>
  names.map((name) => ({ name, unit }));

/** A figure of one contender, or its ratio to the same figure of another one in the same round. */
export interface Target {
  readonly of: string;
  readonly figure: string;
  readonly against?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** Each round must reach the target, not only the median: so it is reached beyond the spread. */
  readonly isInEachRound?: boolean;
}

/** A figure with the same meaning on another machine and at another time: a ratio inside one round, or a count. */
export interface Guarded {
  readonly of: string;
  readonly figure: string;
  /** The contender to compare with, by the same figure. Undefined: the figure itself is a count. */
  readonly against?: string;
  readonly better: 'more' | 'less';
}

/** How `--quick` measures a row, and which figures must not become worse. */
export interface Quick {
  readonly rounds: number;
  readonly guarded: readonly Guarded[];
}

export interface Bench {
  readonly stores: Stores;
  /** Smaller sizes: the result is compared only with quick runs. */
  readonly isQuick: boolean;
}

export interface Prepared {
  readonly contenders: readonly Contender[];
  /** The databases of `stores.migrated` are dropped in any case. */
  dispose?(): Promise<void> | undefined;
}

/** A question about speed, and how to answer it. */
export interface Row {
  readonly name: string;
  /** A description for readers of the results. */
  readonly about: string;
  readonly rounds: number;
  readonly figures: readonly Figure[];
  readonly targets: readonly Target[];
  /** Undefined: it takes too long, or no figure is comparable. Then `--quick` with its name only shows that it works. */
  readonly quick?: Quick;
  /** Undefined: its subject does not exist here. */
  prepare(bench: Bench): Promise<Prepared | undefined>;
}
