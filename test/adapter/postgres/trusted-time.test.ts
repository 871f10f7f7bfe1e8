import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const adapter = path.resolve(import.meta.dirname, '../../../server/adapter/postgres');
const read = (file: string): string => readFileSync(path.join(adapter, file), 'utf8');

const matching = (pattern: RegExp): readonly string[] =>
  globSync('**/*.ts', { cwd: adapter })
    .filter((file) => pattern.test(read(file)))
    .toSorted();

/** Statements with a parameter for the time (`nowMs`), and the store that fills it: from the clock guard. */
const filledBy = {
  'home/due-check-store.ts': 'home/due-check-store.ts',
  'home/rules-store.ts': 'home/rules-store.ts',
  'ops/audit-store.ts': 'ops/audit-store.ts',
  'ops/job-store.ts': 'ops/job-store.ts',
  'ops/ops-sql.ts': 'ops/ops-reads.ts',
  'ops/revoked-store.ts': 'ops/revoked-store.ts',
  'timer/save-sql.ts': 'timer/timer-store.ts',
  'timer/thing-sql.ts': 'timer/thing-rows.ts',
  'timer/timer-change-sql.ts': 'timer/timer-store.ts',
  'timer/timer-counts.ts': 'timer/timer-counts.ts',
  'timer/timer-sql.ts': 'timer/timer-statements.ts',
};

it('no statement reads the clock of Postgres but through what asks the clock guard', () => {
  // The clock's own record says what the clock shows, whatever that is worth.
  expect(matching(/clock_timestamp|current_timestamp|[^.\w]now\(\)/)).toEqual(['database.ts', 'timer/clock-record.ts']);
  expect(read('database.ts')).toContain('this.time.reading()');
  expect(matching(/\$\{nowMs\((\d+|clock)\)\}/)).toEqual(Object.keys(filledBy).toSorted());
  for (const store of Object.values(filledBy)) expect(read(store), store).toMatch(/datedMs|time\.reading/);
});
