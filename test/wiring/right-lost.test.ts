import type { Client, MessageContext } from '@colyseus/core';
import { Pool } from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { createKibble } from '../../server/kibble.ts';
import { recordedLog } from '../support/log/logs.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';
import { takeRight } from '../support/postgres/take-right.ts';
import { insertTimers } from '../support/postgres/timer-database.ts';

it('a process from which another one took the right to run accepts and fires nothing, says so, and goes on from the rows', async () => {
  const database = await createDatabase(inject('postgresUrl'));
  const pool = new Pool({ connectionString: database.url, max: 8 });
  pool.on('error', () => undefined);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  const { log, codes } = recordedLog();
  const fired: string[] = [];
  const fire = async (timers: readonly { readonly subject: string }[]): Promise<undefined> => {
    fired.push(...timers.map(({ subject }) => subject));
  };
  const kibble = createKibble({ pool, log, playerId: ({ sub }) => sub, kinds: [{ kind: 'bread', fire }] });
  await kibble.lifecycle.boot();
  onTestFinished(() => kibble.lifecycle.shutdown());
  expect(await kibble.metrics.metrics()).toMatch(/^kibble_shards_held 1$/m);

  const giveBack = await takeRight(pool, 'kibble');
  await vi.waitFor(() => expect(kibble.health.degraded()).toEqual(['right']), 5000);
  expect(codes()).toContain('database/in-use');
  const order = { playerId: 'ann', commandId: 'a-command', items: { snack: 1 }, reason: 'gift' };
  const unavailable = [{ ok: false, error: { code: 'server/unavailable', retryable: true } }];
  expect(await kibble.homes.grant([order])).toMatchObject(unavailable);
  const client = await pool.connect();
  await client.query('begin');
  expect((await kibble.homes.grant([order], { tx: client })).outcomes).toMatchObject(unavailable);
  await client.query('commit');
  client.release();
  await expect(kibble.homes.look(['ann'])).rejects.toMatchObject({ kind: 'down' });
  const { merge, shiftTimer } = kibble.ops.handlers();
  const operator = { name: 'ada', role: 'admin' } as const;
  const parts = { playerId: 'ann', timerId: '1', kind: '', module: '', jobId: '' };
  const why = { commandId: 'an-act-of-ada', reason: 'because of a test' };
  const down = { ok: false, error: { code: 'server/unavailable' } };
  expect(await merge({ operator, parts, input: { ...why, into: 'bea', isNew: true } } as never)).toMatchObject(down);
  expect(await shiftTimer({ operator, parts, input: { ...why, byMs: -1 } } as never)).toMatchObject(down);
  const bread = { kind: 'bread', subject: 'a', owner: 'ann', inMs: 0 };
  await expect(kibble.timers.schedule([bread])).rejects.toMatchObject({ code: 'database/in-use' });
  const player = { sessionId: 'a', auth: { sub: 'ann' } } as unknown as Client;
  const context = { id: 1, reject: (reason: unknown) => reason } as unknown as MessageContext;
  const message = { commandId: 'a-command', name: 'Rex', species: 'dog' };
  expect(await kibble.plugin().messages['home:adopt'](player, message, context)).toMatchObject({
    code: 'server/unavailable',
    retryable: true,
  });
  await vi.waitFor(async () => expect(await kibble.metrics.metrics()).toMatch(/^kibble_shards_held 0$/m), 5000);

  // The other process's writes meanwhile: this one's wheel cannot know them.
  await pool.query(
    insertTimers("values ('bread', 'late', 'ann', 1700000000000), ('bread', 'ahead', 'ann', 4000000000000)"),
  );
  expect(fired).toEqual([]);
  await giveBack();
  await vi.waitFor(() => expect(kibble.health.degraded()).toEqual([]), 5000);
  await vi.waitFor(() => expect(fired).toEqual(['late']), 5000);
  expect(await kibble.index.ofOwner('ann')).toMatchObject([{ fireAtMs: 4_000_000_000_000 }]);
  expect(await kibble.homes.grant([order])).toMatchObject([{ ok: true }]);
});
