import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const adapter = path.resolve(import.meta.dirname, '../../../server/adapter/postgres');
const read = (file: string): string => readFileSync(path.join(adapter, file), 'utf8');

/** Who asks the database for its time, and where that passes the clock guard. */
const askedBy = {
  'audit-store.ts': 'audit-store.ts',
  'home-sql.ts': 'home-store.ts',
  'job-sql.ts': 'job-store.ts',
  'ops-sql.ts': 'ops-reads.ts',
  'retained-sql.ts': 'retained-store.ts',
  'row-check-store.ts': 'row-check-store.ts',
  'revoked-store.ts': 'revoked-store.ts',
  'timer-counts.ts': 'timer-counts.ts',
  'timer-sql.ts': 'timer-store.ts',
};

it('no statement asks for the database’s time but those whose stores ask the clock guard', () => {
  const asks = globSync('**/*.ts', { cwd: adapter }).filter((file) =>
    /clock_timestamp|current_timestamp|\bnow\(\)/.test(read(file)),
  );
  // The clock's own record says what the clock shows, whatever that is worth.
  expect(asks.toSorted()).toEqual([...Object.keys(askedBy), 'clock-record.ts'].toSorted());
  for (const store of Object.values(askedBy)) expect(read(store), store).toContain('TrustedTime');
});
