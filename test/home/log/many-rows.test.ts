// Row 23 of the promises: timer rows that are not as their homes say heal, whatever became of them.
import { expect, inject, it, onTestFinished } from 'vitest';
import { tries } from '../../proof/table/tries.ts';
import { differencesIn } from '../../support/postgres/differences-in.ts';
import { homeDatabase } from '../../support/postgres/home-database.ts';
import { endTimers, insertTimers, removeTimers } from '../../support/postgres/timer-rows.ts';
import { prove } from '../../support/properties/prove.ts';
import { rowCheckScene, START_MS } from './row-check-scene.ts';

const HOMES = tries({ test: 400, proof: 20_000 });
const LOOKERS = HOMES / 100;
const MEAL_MS = 4 * 3_600_000;

/** Of homes by the last digit of their number; each home has two timers. */
const wrongs: readonly (readonly [digit: number, statement: (where: string) => string])[] = [
  [0, (where) => removeTimers(where)],
  [
    1,
    (where) =>
      insertTimers(`select t.kind, t.subject || '-twice', t.owner, d.due_at
        from kibble.timer t join kibble.timer_due d using (id) where ${where}`),
  ],
  [2, (where) => moved('due_at = due_at + 7, fire_at = fire_at + 7', where)],
  [3, (where) => moved('fire_at = fire_at + 86400000', where)],
  [4, (where) => endTimers('completed', where)],
];
const moved = (set: string, where: string): string => `update kibble.timer_due t set ${set} where ${where}`;

it(`timer rows of ${HOMES} homes, half of them wrong, heal within a minute, at once for who looks, and nothing else changes`, {
  timeout: 600_000,
}, async (context) => {
  const database = await homeDatabase(inject('postgresUrl'));
  onTestFinished(() => database.drop());
  const players = Array.from({ length: HOMES }, (_, at) => `home-${String(at).padStart(5, '0')}`);
  const scene = await rowCheckScene(database, players, { isWorkTimed: true });
  const before = await scene.rows();
  expect(before).toHaveLength(2 * HOMES);
  // The worst time for a row to go wrong is when a pass has just gone by it.
  await scene.checkFor(15_000);
  let wrong = 0;
  for (const [digit, statement] of wrongs) {
    const { rowCount } = await database.pool.query(statement(`t.owner like '%${digit}'`));
    expect(rowCount).toBe(HOMES / 5);
    wrong += rowCount ?? 0;
  }
  const lookers = new Set(players.filter((_, at) => at % 10 < 5).slice(0, LOOKERS));
  const ofLookers = ({ owner }: { readonly owner: string }): boolean => lookers.has(owner);
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
  const counts = { missing: 0, misplaced: 0, ghosts: 0 };
  for (const { missing, misplaced, ghosts } of scene.healed) {
    counts.missing += missing;
    counts.misplaced += misplaced;
    counts.ghosts += ghosts;
  }
  const seen = `of ${HOMES} homes ${JSON.stringify(counts)} timer rows were healed`;
  prove(
    context,
    { row: 23, tries: HOMES, of: 'homes', seen },
    { row: 23, tries: wrong, of: 'timer rows removed, doubled, moved or finished' },
  );
});
