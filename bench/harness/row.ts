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
  readonly unit: '/s' | 'ms' | 'B' | 'MB' | 's';
}

/** A figure of one contender, or its ratio to the same figure of another one in the same round. */
export interface Target {
  readonly of: string;
  readonly figure: string;
  readonly against?: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Bench {
  readonly stores: Stores;
  /** Only to see that everything works: short measurements, one round. */
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
  /** Undefined: what is to be measured does not exist here. */
  prepare(bench: Bench): Promise<Prepared | undefined>;
}
