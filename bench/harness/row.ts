import type { Stores } from './stores.ts';

/** What one measurement found: figure name -> value. */
export type Sample = Readonly<Record<string, number>>;

/** One of the things that a row sets side by side. */
export interface Contender {
  readonly name: string;
  /** Starts from the same state each time, and warms up by itself. */
  measure(): Promise<Sample>;
}

export interface Figure {
  readonly name: string;
  readonly unit: '/s' | 'ms' | 'µs' | 'B' | 'MB' | 's' | 'count' | 'exponent';
}

/** A figure of one contender, or its ratio to the same figure of another one in the same round. */
export interface Target {
  readonly of: string;
  readonly figure: string;
  readonly against?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** Reached only beyond the spread: each round has to, not the median. */
  readonly isInEachRound?: boolean;
}

/** What means the same on another machine and at another hour: a ratio inside one round, or a count. */
export interface Guarded {
  readonly of: string;
  readonly figure: string;
  /** The same figure of this contender is the measure. Undefined: the figure itself is a count. */
  readonly against?: string;
  readonly better: 'more' | 'less';
}

/** How `--quick` measures a row, and what of it must not get worse. */
export interface Quick {
  readonly rounds: number;
  readonly guarded: readonly Guarded[];
}

export interface Bench {
  readonly stores: Stores;
  /** Less of everything: what is measured is compared with quick runs alone. */
  readonly isQuick: boolean;
}

export interface Prepared {
  readonly contenders: readonly Contender[];
  dispose(): Promise<void>;
}

/** A question about speed, and how it is answered. */
export interface Row {
  readonly name: string;
  /** What is measured, for the reader of the results. */
  readonly about: string;
  readonly rounds: number;
  readonly figures: readonly Figure[];
  readonly targets: readonly Target[];
  /** Undefined: it takes too long, or nothing of it travels. Then `--quick` with its name only shows that it works. */
  readonly quick?: Quick;
  /** Undefined: what is to be measured does not exist here. */
  prepare(bench: Bench): Promise<Prepared | undefined>;
}
