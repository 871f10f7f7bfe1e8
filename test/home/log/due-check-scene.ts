import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresDueCheckStore } from '../../../server/adapter/postgres/home/due-check-store.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { DueCheck } from '../../../server/home/log/due-check.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { limits } from '../../../server/settings/config.ts';
import type { Command } from '../../../shared/pets/protocol.ts';
import { petsModules } from '../../../testing/pets-engine.ts';
import type { HomeDatabase } from '../../support/postgres/home-database.ts';

export const START_MS = 1_790_000_000_000;
const schema = 'kibble';
/** Players that send their commands together. */
const TOGETHER = 1000;

/** Homes on a clock that stands still; each player has two dogs that eat. `isWorkTimed`: the clock goes on while the check works. */
export const dueCheckScene = async (
  database: HomeDatabase,
  players: readonly string[],
  { isWorkTimed = false } = {},
) => {
  const { pool } = database;
  const clock = new ManualClock(START_MS);
  const clocked = { pool, schema, nowMs: clock.nowMs };
  const service = database.service({
    store: new PostgresHomeStore({
      database: new Database(clocked),
      modules: petsModules(),
      limits: limits.transaction,
    }),
  });
  const inParts = async (act: (part: readonly string[]) => Promise<unknown>): Promise<void> => {
    for (let at = 0; at < players.length; at += TOGETHER) await act(players.slice(at, at + TOGETHER));
  };
  const send = (commandId: string, commandOf: (playerId: string) => Command): Promise<void> =>
    inParts(async (part) => {
      const orders = part.map((playerId) => ({ playerId, commandId, command: commandOf(playerId) }));
      const refused = (await service.handle(orders)).filter((outcome) => !outcome.ok);
      if (refused.length > 0) throw new Error(`refused: ${JSON.stringify(refused[0])}`);
    });
  for (const pet of ['p2', 'p4']) {
    await send(`adopts-${pet}`, () => ({ type: 'home:adopt', name: 'Rex', species: 'dog' }));
    await send(`feeds-${pet}`, (playerId) => ({ type: 'home:feed', petId: `${playerId}~${pet}`, food: 'dog-food' }));
  }
  const check = new DueCheck({
    modules: petsModules(),
    store: new PostgresDueCheckStore({ database: new Database(clocked), modules: petsModules() }),
    monotonicMs: clock.monotonicMs,
    look: (playerIds) => service.settle(playerIds),
  });
  /** As its loop does, until so much time has passed. */
  const checkFor = async (forMs: number): Promise<void> => {
    for (const untilMs = clock.nowMs() + forMs; clock.nowMs() < untilMs; ) {
      const startedAtMs = performance.now();
      const waitMs = await check.tick();
      clock.advance(waitMs + (isWorkTimed ? Math.round(performance.now() - startedAtMs) : 0));
    }
  };
  const rows = async () =>
    (await pool.query('select player_id, thing_id, due_at::float8 from kibble.thing order by player_id, thing_id'))
      .rows;
  return { clock, service, inParts, checkFor, rows };
};
