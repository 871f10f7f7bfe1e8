import type { Proof } from '../../support/properties/prove.ts';

/** What was tried for the promises, and what failed of them. */
export class Findings {
  readonly proofs: Proof[] = [];
  /** Names, by row. */
  readonly failures = new Map<number, string[]>();

  fail(rows: Iterable<number>, name: string): void {
    for (const row of rows) this.failures.set(row, [...(this.failures.get(row) ?? []), name]);
  }
}
