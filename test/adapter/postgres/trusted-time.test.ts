import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const adapter = path.resolve(import.meta.dirname, '../../../server/adapter/postgres');
const read = (file: string): string => readFileSync(path.join(adapter, file), 'utf8');

/** Who asks the database for its time, and where that passes the clock guard. */
const askedBy = {
  'ops/audit-store.ts': 'ops/audit-store.ts',
  'home/home-sql.ts': 'home/home-store.ts',
  'ops/job-sql.ts': 'ops/job-store.ts',
  'ops/ops-sql.ts': 'ops/ops-reads.ts',
  'home/retained-sql.ts': 'home/retained-store.ts',
  'home/due-check-store.ts': 'home/due-check-store.ts',
  'ops/revoked-store.ts': 'ops/revoked-store.ts',
  'timer/timer-counts.ts': 'timer/timer-counts.ts',
  'timer/save-sql.ts': 'timer/timer-statements.ts',
  'timer/thing-sql.ts': 'timer/timer-statements.ts',
  'timer/timer-change-sql.ts': 'timer/timer-statements.ts',
  'timer/timer-sql.ts': 'timer/timer-statements.ts',
  'timer/timer-tables.ts': 'timer/timer-statements.ts',
};

it('no statement asks for the database’s time but those whose stores ask the clock guard', () => {
  const asks = globSync('**/*.ts', { cwd: adapter }).filter((file) =>
    /clock_timestamp|current_timestamp|\bnow\(\)|\bnowMs\((\d|clock\))/.test(read(file)),
  );
  // The clock's own record says what the clock shows, whatever that is worth.
  expect(asks.toSorted()).toEqual([...Object.keys(askedBy), 'timer/clock-record.ts'].toSorted());
  for (const store of Object.values(askedBy)) expect(read(store), store).toContain('TrustedTime');
});
