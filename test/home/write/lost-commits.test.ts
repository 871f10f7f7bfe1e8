// Row 8 of the promises, on a real Postgres: the connection breaks at COMMITs, before they arrive or after they are done.

import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import type { HomeService } from '../../../server/home/home-service.ts';
import { OutcomeUnknown } from '../../../server/home/model/faults.ts';
import type { HomeOrder } from '../../../server/home/model/homes.ts';
import { limits } from '../../../server/settings/config.ts';
import { newHome } from '../../../shared/home.ts';
import type { Command } from '../../../shared/pets/protocol.ts';
import { fold, petsModules } from '../../../testing/pets-engine.ts';
import { HANG_MS, tries } from '../../proof/table/tries.ts';
import { silentLog } from '../../support/log/logs.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';
import { type Fate, lossyCommits } from '../../support/postgres/lossy-commits.ts';
import { prove } from '../../support/properties/prove.ts';

const PROCESSES = 4;
const PLAYERS = tries({ test: 10, proof: 50 });
const ROUNDS = 5;
/** In turn: most COMMITs lose their answer, and more of those are done than not. */
const FATES: readonly Fate[] = ['swallow', 'cut', 'swallow', 'pass', 'cut', 'swallow', 'pass'];

let database: HomeDatabase;
beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());

/** A player's commands: a pet, then gifts, meals and cards, all accepted. */
const commandsOf = (playerId: string): readonly Command[] => {
  const petId = `${playerId}~p2`;
  return [
    { type: 'home:adopt', name: 'Rex', species: 'dog' },
    ...Array.from({ length: ROUNDS }, (): readonly Command[] => [
      { type: 'home:grant', items: { 'dog-food': 2, 'speed-up': 1 }, reason: 'gift' },
      { type: 'home:feed', petId, food: 'dog-food' },
      { type: 'home:use-card', petId, card: 'speed-up' },
      { type: 'home:stop', petId },
    ]).flat(),
  ];
};

const commandIdOf = (at: number): string => `lost-commit-${at}`;

interface Tally {
  lost: number;
  committed: number;
}

/** Sends a command until its outcome is known; of each answer that is lost, looks whether the command was done. */
const sendUntilKnown = async (homes: HomeService, order: HomeOrder, tally: Tally): Promise<number> => {
  let isDone = false;
  for (;;) {
    try {
      const [outcome] = await homes.handle([order]);
      if (!outcome?.ok) throw new Error(`${order.commandId}: ${outcome?.error.code}`);
      return outcome.value.seq;
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
      if (isDone) continue;
      tally.lost += 1;
      isDone = await isInLog(order);
      if (isDone) tally.committed += 1;
    }
  }
};

/** By another connection. A server that was cut off may still be at it: that is no harm, and counts as not done. */
const isInLog = async ({ playerId, commandId }: HomeOrder): Promise<boolean> => {
  const { rowCount } = await database.pool.query(
    'select from kibble.event where player_id = $1 and command_id = $2 limit 1',
    [playerId, commandId],
  );
  return rowCount !== 0;
};

const playAll = async (homes: HomeService, players: readonly string[], tally: Tally): Promise<void> => {
  for (const playerId of players) {
    for (const [at, command] of commandsOf(playerId).entries()) {
      await sendUntilKnown(homes, { playerId, commandId: commandIdOf(at), command }, tally);
    }
  }
};

/** By the rows and the log alone: what the player was answered does not count here. */
const judge = async (playerId: string): Promise<void> => {
  const log = await database.store.events(playerId, 0, 500);
  const ids = commandsOf(playerId).map((_, at) => commandIdOf(at));
  expect(log.flatMap(({ commandId }) => commandId ?? [])).toEqual(ids);
  // The starter items come first, with no command; then one event for each command.
  expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: ids.length + 1 }, (_, at) => at + 1));
  const [view] = await database.service().look([playerId]);
  expect(fold(newHome(playerId), log)).toEqual(view?.home);
  expect(view?.home.items).toMatchObject({ 'dog-food': 10 + ROUNDS, 'speed-up': 3 });
  const running = 'select from kibble.timers where owner = $1';
  expect((await database.pool.query(running, [playerId])).rowCount).toBe(0);
};

it('each command is done once, however many of its answers are lost', { timeout: HANG_MS }, async (context) => {
  let commits = 0;
  const nextFate = (): Fate => FATES[commits++ % FATES.length] ?? 'pass';
  const network = await lossyCommits(String(database.pool.options.connectionString), nextFate);
  const tally: Tally = { lost: 0, committed: 0 };
  const names = Array.from({ length: PLAYERS }, (_, at) => `lossy-${at}`);
  const pools = Array.from({ length: PROCESSES }, () => createPool({ url: network.url, max: 2, log: silentLog }));
  await Promise.all(
    pools.map((pool, process) => {
      const store = new PostgresHomeStore({
        database: new Database({ pool, schema: 'kibble' }),
        modules: petsModules(),
        limits: limits.transaction,
      });
      const homes = database.service({ store, onFault: () => undefined });
      const own = names.filter((_, at) => at % PROCESSES === process);
      return playAll(homes, own, tally);
    }),
  );
  for (const pool of pools) await pool.end();
  await network.stop();
  for (const name of names) await judge(name);
  expect(tally.lost).toBeGreaterThanOrEqual(20 * PLAYERS);
  expect(tally.committed).toBeGreaterThanOrEqual(8 * PLAYERS);
  expect(network.refused).toBe(0);
  const seen = `${tally.committed} of ${tally.lost} lost answers were of commits that were done; commits ${JSON.stringify(network.commits)}`;
  prove(
    context,
    { row: 8, tries: tally.lost, of: 'COMMITs on Postgres whose answer was lost', seen },
    { row: 8, tries: tally.committed, of: 'of them really committed' },
  );
});
