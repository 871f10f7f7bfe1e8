import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { createKibble, ManualClock, silent, type WorksRules, works } from '../../../server/kibble.ts';
import type { AnyModule } from '../../../shared/module/module.ts';
import { AwayClock, awayRules, lookAt, orderOf } from '../../../test/support/game/away-home.ts';
import { silentLog } from '../../../test/support/log/logs.ts';
import { homeDatabase } from '../../../test/support/postgres/home-database.ts';
import { fold, settle } from '../../../testing/pets-engine.ts';
import { talkTo } from '../../game/running-game.ts';
import { inUnit, type Row, type Sample } from '../../harness/row.ts';
import { quantile } from '../../harness/spread.ts';

const AWAY = 'one home, 100,000 feedings';
const SIZES = { quick: { pets: 10, armed: 100 }, full: { pets: 100, armed: 1000 } };

const FIGURES: Row['figures'] = [
  ...inUnit('s', 'whole', 'cpu'),
  ...inUnit('ms', "other player's p50", "other player's p99", 'longest pause of the event loop'),
  { name: 'largest commit', unit: 'count' },
];

/** The cost of a player that returns to the largest possible home, and its effect on all other players. */
export const longSettle: Row = {
  name: 'long-settle',
  about:
    'A player comes back to 100 pets with 1,000 armed cards each, all eaten meanwhile: from the first command until its answer, on Postgres. Meanwhile another player sends one command after the other. The length of the log is compared with that of one that was settled at once.',
  rounds: 3,
  figures: FIGURES,
  targets: [
    { of: AWAY, figure: "other player's p99", atMost: 150 },
    { of: AWAY, figure: 'largest commit', atMost: 1002 },
  ],
  prepare: async ({ stores, isQuick }) => {
    const database = await homeDatabase(await stores.postgresUrl());
    let players = 0;
    const measure = async (): Promise<Sample> => {
      players += 1;
      const clock = new AwayClock();
      const homes = database.service({ store: clock.store(database), catalogue: awayRules() });
      const playerId = `away-${players}`;
      const left = await clock.leave(homes, playerId, isQuick ? SIZES.quick : SIZES.full);
      const sizes: number[] = [];
      homes.follow(playerId, ({ events }) => sizes.push(events.length));
      const comesBack = async () => {
        await homes.handle([orderOf(playerId, { type: 'home:grant', items: { crumb: 1 }, reason: 'welcome back' })]);
      };
      const sample = await beside(comesBack, () =>
        homes.handle([orderOf(`other-${players}`, { type: 'home:adopt', name: 'Pet', species: 'dog' })]),
      );
      const expected = fold(left, settle(left, clock.nowMs));
      const found = await lookAt(homes, playerId);
      if (found.seq !== expected.seq + 1) throw new Error(`the log has ${found.seq} events, not ${expected.seq + 1}`);
      return { ...sample, 'largest commit': Math.max(...sizes) };
    };
    return { contenders: [{ name: AWAY, measure }], dispose: () => database.drop() };
  },
};

const AWAY_WORKS = 'one home, 50 things, 10,000 completions';
const WORKS_SIZES = { quick: { repeats: 40 }, full: { repeats: 398 } };
const bakery = {
  things: { oven: { limit: 50 } },
  slots: { bakers: { base: 25, queue: 25 } },
  activities: { bake: { on: ['oven'], slot: 'bakers', workMs: '1h', takes: { flour: 1 }, gives: { bread: 1 } } },
  cards: { again: { effect: 'repeat', times: 1 } },
} satisfies WorksRules;

/** The same for things of a file of rules: half of them run and repeat, the others wait for a slot. */
export const away: Row = {
  name: 'away',
  about:
    'A player comes back after a month to 50 ovens of which 25 baked at a time, each again and again, 10,000 times in all: from the first command until its answer, on Postgres. Meanwhile another player sends one command after the other.',
  rounds: 3,
  figures: FIGURES,
  targets: [
    { of: AWAY_WORKS, figure: 'whole', atMost: 0.3 },
    { of: AWAY_WORKS, figure: "other player's p99", atMost: 100 },
  ],
  prepare: async ({ stores, isQuick }) => {
    const database = await stores.migrated();
    const pool = createPool({ url: database.url, max: 8, log: silentLog });
    const clock = new ManualClock(1_764_000_000_000);
    const modules: readonly AnyModule[] = [works({ name: 'bakery', rules: bakery })];
    const kibble = createKibble({ pool, clock, modules, log: silent, playerId: ({ sub }) => sub });
    await kibble.lifecycle.boot();
    const say = talkTo(kibble);
    let players = 0;
    const measure = async (): Promise<Sample> => {
      players += 1;
      const playerId = `away-${players}`;
      const { repeats } = isQuick ? WORKS_SIZES.quick : WORKS_SIZES.full;
      await say(playerId, 'home:grant', { items: { flour: 100_000, again: 100_000 }, reason: 'a month' });
      for (let oven = 0; oven < 50; oven++) {
        const { thing } = await say(playerId, 'bakery:place', { thing: 'oven' });
        clock.advance(7);
        await say(playerId, 'bakery:start', { thing, activity: 'bake' });
        if (oven < 25) await say(playerId, 'bakery:use-card', { thing, card: 'again', count: repeats });
      }
      const [left] = await kibble.homes.look([playerId]);
      clock.advance(30 * 86_400_000);
      const sizes: number[] = [];
      kibble.service.follow(playerId, ({ events }) => sizes.push(events.length));
      const comesBack = async () =>
        void (await say(playerId, 'home:grant', { items: { flour: 1 }, reason: 'welcome back' }));
      const sample = await beside(comesBack, () =>
        say(`other-${players}`, 'home:grant', { items: { flour: 1 }, reason: 'gift' }),
      );
      const completions = 50 + 25 * repeats;
      const [found] = await kibble.homes.look([playerId]);
      const baked = (found?.home.items.bread ?? 0) - (left?.home.items.bread ?? 0);
      if (baked !== completions) throw new Error(`there are ${baked} loaves, not ${completions}`);
      return { ...sample, 'largest commit': Math.max(...sizes) };
    };
    const dispose = async () => {
      await kibble.lifecycle.shutdown();
      await pool.end();
    };
    return { contenders: [{ name: AWAY_WORKS, measure }], dispose };
  },
};

/** Does `work`, and meanwhile asks one question after another. */
export const beside = async (work: () => Promise<void>, ask: () => Promise<unknown>): Promise<Sample> => {
  const pauses = monitorEventLoopDelay({ resolution: 1 });
  pauses.enable();
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  const tookMs: number[] = [];
  while (!isOver) {
    const askedAtMs = performance.now();
    await ask();
    tookMs.push(performance.now() - askedAtMs);
  }
  await working;
  pauses.disable();
  const cpu = process.cpuUsage(cpuBefore);
  return {
    whole: (performance.now() - startedAtMs) / 1000,
    cpu: (cpu.user + cpu.system) / 1e6,
    "other player's p50": quantile(tookMs, 0.5),
    "other player's p99": quantile(tookMs, 0.99),
    'longest pause of the event loop': pauses.max / 1e6,
  };
};
