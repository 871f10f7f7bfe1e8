import type { TestContext } from 'vitest';

/** What a test has tried for a promise, and did not see broken: for the report of `npm run proof`. */
export interface Proof {
  /** Of the table of promises, 1 to 20. */
  readonly row: number;
  readonly tries: number;
  /** What was tried, in the plural. */
  readonly of: string;
  /** What was measured beside, such as `max lateness 380 ms`. */
  readonly seen?: string;
}

declare module 'vitest' {
  interface TaskMeta {
    proofs?: Proof[];
  }
}

/** To be called at the end of a test, when nothing has failed. */
export const prove = ({ task }: Pick<TestContext, 'task'>, ...proofs: readonly Proof[]): void => {
  task.meta.proofs = [...(task.meta.proofs ?? []), ...proofs];
};
