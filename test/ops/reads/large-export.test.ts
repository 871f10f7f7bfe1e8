import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { HOUR_MS, type OpsServer, START_MS, startOpsServer, why } from '../../support/game/ops-server.ts';

/** With the player's own target more than a statement of Postgres may have parameters. */
const TIMERS = 65_535;

let server: OpsServer;
beforeAll(async () => {
  server = await startOpsServer(inject('postgresUrl'), { kinds: [{ kind: 'order', fire: async () => undefined }] });
});
afterAll(() => server.close());

it('a player with more timers than a statement may have parameters is exported, with the acts on each timer', async () => {
  await server.kibble.timers.schedule([
    { kind: 'order', subject: 'newest', owner: 'ann', dueAtMs: START_MS + HOUR_MS },
  ]);
  const { rows } = await server.pool.query('select id from kibble.timer');
  const timerId = String(rows[0]?.id);
  const done = `'completed', 1, 1, 1, 1, 1, 1, 0`;
  await server.pool.query(
    `begin; set local statement_timeout = 0;
     insert into kibble.timer (kind, subject, owner, state, due_at, fire_at, updated_at, revision, attempt, turn, created_at)
     select 'order', 's' || n, 'ann', ${done} from generate_series(2, ${TIMERS}) n;
     commit`,
  );
  await server.ask('cancelTimer', { timerId }, why());
  const { status, body } = await server.ask('exportPlayer', { playerId: 'ann' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ playerId: 'ann', audit: [{ target: `timer:${timerId}`, action: 'cancel' }] });
  expect(body.timers).toHaveLength(TIMERS);
});
