import { Activity } from '../../../server/ops/reads/activity.ts';
import { overview } from '../../../server/ops/reads/overview.ts';
import { newHome } from '../../../shared/home.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import { FEEDING } from '../../../testing/pets-engine.ts';
import type { Row, Sample } from '../../harness/row.ts';
import { quantile } from '../../harness/spread.ts';
import { type OpsDatabase, seedOps } from '../../ops/ops-database.ts';

/** A million timers that wait and five million events; fewer by `OPS_PLAYERS`. */
const PLAYERS = Number(process.env.OPS_PLAYERS ?? 500_000);
const QUICK_PLAYERS = 500;
const ROUNDS_OF_ONE = 40;
/** The least time in which a page still feels quick. */
const TARGET_MS = 300;

type Ask = (database: OpsDatabase, player: string) => Promise<unknown>;

/** What the operators' page asks for. */
const questions: Readonly<Record<string, Ask>> = {
  'search: beginning of an id': ({ ask }, player) => ask('search', player, { q: player.slice(0, -2) }),
  'search: name of a pet': ({ ask }, player) => ask('search', player, { q: 'bel' }),
  'player: home': ({ ask }, player) => ask('player', player, {}),
  'player: log': ({ ask }, player) => ask('log', player, {}),
  'player: timers': ({ ask }, player) => ask('playerTimers', player, {}),
  'explain a feeding': async ({ reads, ask }, player) => {
    const run = petsOf((await reads.home(player))?.home ?? newHome(''))[0]?.feeding?.feedingId ?? '';
    return ask('explainThing', player, { module: 'pets', run });
  },
  'timers: first page of all, with count': ({ ask }, player) => ask('timers', player, {}),
  'timers: of a rare kind': ({ ask }, player) => ask('timers', player, { kind: 'order' }),
  'timers: of an owner, finished': ({ ask }, owner) => ask('timers', owner, { state: 'completed', owner }),
  'timers: a window': async ({ reads, ask }, player) => {
    const nowMs = await reads.nowMs();
    return ask('timers', player, { fromMs: nowMs + 1_800_000, toMs: nowMs + 5_400_000 });
  },
  'timers: finished, latest first': ({ ask }, player) => ask('timers', player, { state: 'completed' }),
  'timers: dead, of an error': ({ ask }, player) =>
    ask('timers', player, { state: 'dead', kind: 'refund', error: 'Error: status 503' }),
  'dead and stuck by error': ({ ask }, player) => ask('failed', player, {}),
  'upcoming, a week': ({ ask }, player) => ask('upcoming', player, { window: '7d' }),
  overview: ({ reads }) =>
    overview({
      reads,
      process: 'bench',
      activity: new Activity(() => 0),
      degraded: () => [],
      oldestUnackedMs: async () => 0,
      lanes: () => [],
      kinds: { registeredKinds: async () => new Set([FEEDING]), pausedKinds: async () => new Set() },
    }),
};

export const opsQueries: Row = {
  name: 'ops-queries',
  about: `What the operators' page asks of a database with ${PLAYERS.toLocaleString('en')} players, ${(2 * PLAYERS).toLocaleString('en')} feedings that run, ${(10 * PLAYERS).toLocaleString('en')} events and as many finished timers as players; one question at a time, ${ROUNDS_OF_ONE} times each.`,
  rounds: 3,
  figures: [
    { name: 'p50', unit: 'ms' },
    { name: 'p95', unit: 'ms' },
  ],
  targets: Object.keys(questions).map((of) => ({ of, figure: 'p95', atMost: TARGET_MS })),
  prepare: async ({ stores, isQuick }) => {
    const players = isQuick ? QUICK_PLAYERS : PLAYERS;
    const database = await seedOps(await stores.postgresUrl(), players);
    return {
      contenders: Object.entries(questions).map(([name, ask]) => ({
        name,
        measure: () => measure(database, ask, players),
      })),
      dispose: () => database.drop(),
    };
  },
};

const measure = async (database: OpsDatabase, ask: Ask, players: number): Promise<Sample> => {
  const tookMs: number[] = [];
  for (let at = 0; at < ROUNDS_OF_ONE; at += 1) {
    const player = `player-${String(1 + Math.floor((at / ROUNDS_OF_ONE) * players)).padStart(7, '0')}`;
    const startedAtMs = performance.now();
    await ask(database, player);
    tookMs.push(performance.now() - startedAtMs);
  }
  return { p50: quantile(tookMs, 0.5), p95: quantile(tookMs, 0.95) };
};
