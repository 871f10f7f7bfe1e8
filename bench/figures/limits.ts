/** Why targets are missed: what was tried, and where the limit lies. */
export interface Limit {
  /** The row of `npm run bench`, or `peers`. */
  readonly row: string;
  /** What the target begins with, as `docs/targets.md` names it. */
  readonly targets: readonly string[];
  readonly why: string;
}

export const limits: readonly Limit[] = [];
