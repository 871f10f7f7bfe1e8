import type { Complain, FeedingRow, PetRow, PlayerEvidence, TimerRow } from '../evidence/evidence.ts';
import { isSame, type RetoldBowl, type RetoldHome, type RetoldPet } from './retold-home.ts';

/** The rows must be what the log, told again, leaves; and the timers exactly those of the pets that eat and the beds that grow. */
export const judgeRows = (player: PlayerEvidence, home: RetoldHome, complain: Complain): void => {
  const { log, rows } = player;
  const newest = log.at(-1)?.event;
  if (rows.home?.seq !== newest?.seq) complain(`the home's row says seq ${rows.home?.seq}, the log ${newest?.seq}`);
  if (rows.home?.lastAtMs !== newest?.at) complain(`the home's row says it was changed at ${rows.home?.lastAtMs}`);
  if (!isSame(rows.items, Object.fromEntries(home.stock))) {
    complain(
      `the stock is ${JSON.stringify(rows.items)}, the log gives ${JSON.stringify(Object.fromEntries(home.stock))}`,
    );
  }
  sameKeys('pets', rows.pets, (row) => row.petId, home.pets, complain);
  const running = new Map([...home.bowls].filter(([, { state }]) => state === 'running'));
  sameKeys('feedings', rows.feedings, (row) => row.feedingId, running, complain);
  for (const row of rows.pets) compare(`pet ${row.petId}`, row, petRow(home.pets.get(row.petId)), complain);
  sameKeys('beds', rows.beds, ({ bed }) => bed, home.beds, complain);
  for (const row of rows.beds) compare(`bed ${row.bed}`, row, home.beds.get(row.bed), complain);
  for (const row of rows.feedings) judgeFeeding(row, home.bowls.get(row.feedingId), complain);
  judgeTimers(player, home, complain);
};

const sameKeys = <Row>(
  what: string,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  expected: ReadonlyMap<string, unknown>,
  complain: Complain,
): void => {
  const keys = new Set(rows.map(keyOf));
  for (const key of keys) if (!expected.has(key)) complain(`${what}: a row ${key} of which the log knows nothing`);
  for (const key of expected.keys()) if (!keys.has(key)) complain(`${what}: no row ${key}`);
};

const petRow = (pet: RetoldPet | undefined): Partial<PetRow> | undefined =>
  pet && {
    name: pet.name,
    species: pet.species,
    xp: pet.xp,
    boostRate: pet.boost?.rate,
    boostEndsAtMs: pet.boost?.untilMs,
    blockedAtMs: pet.blockedAtMs,
    lastFeedingId: pet.last?.feedingId,
    lastOutcome: pet.last?.state,
  };

const judgeFeeding = (row: FeedingRow, bowl: RetoldBowl | undefined, complain: Complain): void => {
  if (!bowl) return;
  const { petId, state, food, workMs, xp, hasCards, startedAtMs, endedAtMs } = bowl;
  const common = { petId, state, food, fedBy: bowl.by, workMs, xp, hasCards, startedAtMs, endedAtMs };
  const progress = { leftMs: bowl.leftMs, sinceAtMs: bowl.sinceAtMs };
  compare(`feeding ${row.feedingId}`, row, { ...common, ...progress }, complain);
};

const compare = <Row extends object>(
  what: string,
  row: Row,
  expected: Partial<Row> | undefined,
  complain: Complain,
): void => {
  for (const [name, value] of Object.entries(expected ?? {})) {
    const found = row[name as keyof Row];
    if (found !== value) complain(`${what}: the row says ${name} ${String(found)}, the log ${String(value)}`);
  }
};

const judgeTimers = ({ playerId, rows }: PlayerEvidence, home: RetoldHome, complain: Complain): void => {
  for (const row of rows.pets) {
    const left = row.armed.reduce((sum, stack) => sum + stack.left, 0);
    const armed = home.pets.get(row.petId)?.armed;
    if (left !== armed) complain(`pet ${row.petId}: the row says ${left} armed, the log ${armed}`);
  }
  const expected = new Map<string, number>([
    ...[...home.bowls.values()].flatMap((bowl) =>
      bowl.state === 'running' ? [[`feeding ${playerId}~${bowl.petId}`, bowl.dueAtMs] as const] : [],
    ),
    ...[...home.beds.values()].flatMap(({ bed, ripeAtMs }) =>
      ripeAtMs === undefined ? [] : [[`field ${playerId}~${bed}`, ripeAtMs] as const],
    ),
  ]);
  const keyOf = ({ kind, subject }: TimerRow): string => `${kind} ${subject}`;
  for (const [key, dueAtMs] of expected) {
    const own = rows.timers.filter((timer) => keyOf(timer) === key);
    if (own.length !== 1) complain(`${key} is due at ${dueAtMs}, and has ${own.length} timers`);
    for (const timer of own) {
      if (timer.dueAtMs !== dueAtMs) complain(`${key}: its timer is ${timer.dueAtMs - dueAtMs} ms off`);
    }
  }
  for (const timer of rows.timers) {
    if (!expected.has(keyOf(timer))) complain(`a timer of ${keyOf(timer)}, which the log has at rest`);
  }
};
