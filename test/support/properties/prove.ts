import type { TestContext } from 'vitest';
import { checkDeclared } from '../../proof/table/rows.ts';

/** A test's tries of a promise without a violation, for the report of `npm run proof`. */
export interface Proof {
  /** Of the table of promises (`test/proof/table/rows.ts`). */
  readonly row: number;
  readonly tries: number;
  /** The name of the tries, in the plural: a want of that row, or an extra. */
  readonly of: string;
  /** Another measurement, such as `max lateness 380 ms`. */
  readonly seen?: string;
}

declare module 'vitest' {
  interface TaskMeta {
    proofs?: Proof[];
    /** For which promises it would speak: a failure of the test is theirs. */
    rows?: readonly number[];
  }
}

/** To be called at the end of a test, when nothing has failed. Throws when the table does not know what was tried. */
export const prove = ({ task }: Pick<TestContext, 'task'>, ...proofs: readonly Proof[]): void => {
  for (const proof of proofs) checkDeclared(proof);
  task.meta.proofs = [...(task.meta.proofs ?? []), ...proofs];
};
