// Row 23 of the promises: due times that are not as the rules say heal, whatever became of them.
import { expect, inject, it, onTestFinished } from 'vitest';
import { HANG_MS, tries } from '../../proof/table/tries.ts';
import { homeDatabase } from '../../support/postgres/home-database.ts';
import { differencesIn } from '../../support/postgres/timer-database.ts';
import { prove } from '../../support/properties/prove.ts';
import { dueCheckScene, START_MS } from './due-check-scene.ts';

const HOMES = tries({ test: 400, proof: 20_000 });
const LOOKERS = HOMES / 100;
const MEAL_MS = 4 * 3_600_000;

/** Of homes by the last digit of their number; each home has two timers. */
const wrongs: readonly (readonly [digit: number, due: string])[] = [
  [0, 'null'],
  [1, 'due_at + 7'],
  [2, 'due_at + 86400000'],
  [3, 'due_at - 60000'],
  [4, '1'],
];

it(`due times of ${HOMES} homes, half of them wrong, heal within a minute, at once for who looks, and nothing else changes`, {
  timeout: HANG_MS,
}, async (context) => {
  const database = await homeDatabase(inject('postgresUrl'));
  onTestFinished(() => database.drop());
  const players = Array.from({ length: HOMES }, (_, at) => `home-${String(at).padStart(5, '0')}`);
  const scene = await dueCheckScene(database, players, { isWorkTimed: true });
  const before = await scene.rows();
  expect(before).toHaveLength(2 * HOMES);
  // The worst time for one to go wrong is when a pass has just gone by it.
  await scene.checkFor(15_000);
  let wrong = 0;
  for (const [digit, due] of wrongs) {
    const changed = `update kibble.thing set due_at = ${due} where player_id like '%${digit}'`;
    const { rowCount } = await database.pool.query(changed);
    expect(rowCount).toBe(HOMES / 5);
    wrong += rowCount ?? 0;
  }
  const lookers = new Set(players.filter((_, at) => at % 10 < 5).slice(0, LOOKERS));
  const ofLookers = ({ player_id }: { readonly player_id: string }): boolean => lookers.has(player_id);
  expect((await scene.rows()).filter(ofLookers)).not.toEqual(before.filter(ofLookers));

  await scene.service.look([...lookers]);
  expect((await scene.rows()).filter(ofLookers)).toEqual(before.filter(ofLookers));

  await scene.checkFor(60_000);
  expect(await scene.rows()).toEqual(before);

  scene.clock.advance(MEAL_MS);
  await scene.inParts((part) => scene.service.settle(part));
  const { rows } = await database.pool.query(
    `select count(*)::int as meals, count(distinct (player_id, body->>'petId'))::int as pets,
       min(at)::float8 as "fromMs", max(at)::float8 as "untilMs" from kibble.event where type = 'feeding-completed'`,
  );
  const atMs = START_MS + MEAL_MS;
  expect(rows).toEqual([{ meals: 2 * HOMES, pets: 2 * HOMES, fromMs: atMs, untilMs: atMs }]);
  expect(await differencesIn(database.pool)).toEqual([]);
  const seen = `of ${HOMES} homes ${wrong} due times were wrong, and healed`;
  prove(
    context,
    { row: 23, tries: HOMES, of: 'homes', seen },
    { row: 23, tries: wrong, of: 'due times removed, moved, put off or brought forward' },
    { row: 27, tries: wrong, of: 'due times of things changed by hand' },
  );
});
