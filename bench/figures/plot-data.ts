import { createHash } from 'node:crypto';

/** One row of a panel. */
export interface Dot {
  readonly row: string;
  readonly value: number;
  /** Names the colour or shape; the legend has them in this order. */
  readonly series: string;
  /** Where a line goes through the dot: from least to greatest, or from the median to the worst. */
  readonly from?: number;
  readonly to?: number;
}

/** A scale of values, and rows down. */
export interface Panel {
  /** What the axis shows, in which unit, and which way is better. The scale is logarithmic. */
  readonly label: string;
  readonly dots: readonly Dot[];
}

/** Everything that a picture shows; whoever draws it adds only looks. */
export interface PlotData {
  /** In `docs/images`, without its ending. */
  readonly name: string;
  readonly title: string;
  readonly rows: readonly string[];
  readonly ours: readonly string[];
  readonly series: readonly {
    readonly name: string;
    readonly look: 'open' | 'full' | 'tick' | 'light' | 'middle' | 'dark' | 'darkest';
  }[];
  readonly panels: readonly Panel[];
  /** Where the figures come from. */
  readonly note: string;
}

/** Stands in the picture, so that one of other figures is noticed where nothing can draw. */
export const digestOf = (data: PlotData): string =>
  createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 16);
