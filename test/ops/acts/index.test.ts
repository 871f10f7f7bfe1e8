import { expect, inject, it } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresAuditStore } from '../../../server/adapter/postgres/ops/audit-store.ts';
import { indexActs } from '../../../server/ops/acts/index-acts.ts';
import type { IndexCare } from '../../../server/timer/index-operations.ts';
import type { Tx } from '../../../server/timer/model/timer-store.ts';
import { homeDatabase } from '../../support/postgres/home-database.ts';

const operator = { name: 'ada', role: 'admin' } as const;
const parts = { playerId: '', timerId: '', jobId: '', kind: '', module: '' };
const input = { commandId: 'index-command', reason: 'because of a test' };
const FIVE_MINUTES_MS = 300_000;

it('Postgres leaves the audit’s transaction open while an act compares the whole index for minutes', async () => {
  const database = await homeDatabase(inject('postgresUrl'));
  const audit = new PostgresAuditStore(new Database({ pool: database.pool, schema: 'kibble' }));
  const begin = audit.transaction.bind(audit);
  const transactions: Tx[] = [];
  audit.transaction = (work, ...others) =>
    begin(
      (tx) => {
        transactions.push(tx);
        return work(tx);
      },
      ...others,
    );
  let idleMs: number | undefined;
  const index: Pick<IndexCare, 'state' | 'reconcile'> = {
    state: async () => ({ generation: 1, shards: 1, wantedShards: undefined, isWhole: true, inside: undefined }),
    reconcile: async () => {
      const text = `select setting::int as ms from pg_settings where name = 'idle_in_transaction_session_timeout'`;
      idleMs = (await transactions[0]?.query<{ ms: number }>(text, []))?.rows[0]?.ms;
      return { missing: 1, misplaced: 0, ghosts: 0 };
    },
  };
  const on = { audit, index: index as IndexCare };
  const reconciled = await indexActs.reconcile(on, { operator, parts, input });
  expect(reconciled).toMatchObject({ value: { answer: { found: { missing: 1 } } } });
  expect(await audit.page('index', undefined, 1)).toMatchObject([{ action: 'reconcile', actor: 'ada' }]);
  expect(idleMs).toBeGreaterThan(FIVE_MINUTES_MS);
  await database.drop();
});
