// Row 22 of the promises: modules that compete for items of one home, while processes die at their commits.

import fc from 'fast-check';
import { expect, inject, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { HomeService } from '../../../server/home/home-service.ts';
import type { RulesStore } from '../../../server/home/model/rules-store.ts';
import { LoadedRules } from '../../../server/home/rules/rules.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { limits } from '../../../server/settings/config.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { HANG_MS, tries } from '../../proof/table/tries.ts';
import { Kernel } from '../../simulation/world/kernel.ts';
import { SimDatabase } from '../../simulation/world/sim-database.ts';
import { CHANCE, SECRET, SimHomeStore } from '../../simulation/world/sim-home-store.ts';
import { SimProcess } from '../../simulation/world/sim-process.ts';
import { Wire, WireLost } from '../../simulation/world/wire.ts';
import { silentLog } from '../../support/log/logs.ts';
import { migratedDatabase } from '../../support/postgres/home-database.ts';
import { type Fate, lossyCommits } from '../../support/postgres/lossy-commits.ts';
import { prove } from '../../support/properties/prove.ts';
import { FATES, playShared, type SharedHome, type SharedTrial, type Tally } from '../../support/works/play-shared.ts';
import { modulesOf, newPlayed, type TwoRules } from '../../support/works/play-works.ts';
import { START_AT_MS, worksHistory, worksRules } from '../../support/works/works-histories.ts';

const ON_POSTGRES = tries({ test: 20, proof: 1_000 });
/** The long run has a hundred thousand: `HISTORIES=90000 HISTORIES_FROM=10000` are those that `npm run proof` has not. */
const SIMULATED = Number(process.env.HISTORIES ?? tries({ test: 60, proof: 10_000 }));
const SIMULATED_FROM = Number(process.env.HISTORIES_FROM ?? 0);
const PART = 200;

const bothRules = fc.record({ town: worksRules, farm: worksRules });
const trials: fc.Arbitrary<SharedTrial> = fc.record({ rules: bothRules, later: bothRules, history: worksHistory });

/** Plays many histories in lanes side by side; each on a home that `homeOf` makes. */
const playMany = async (
  { histories, first = 0, lanes }: { readonly histories: number; readonly first?: number; readonly lanes: number },
  homeOf: (playerId: string, rules: TwoRules) => Promise<SharedHome>,
): Promise<Tally> => {
  const tally: Tally = { deaths: 0, finished: 0 };
  const end = first + histories;
  for (let from = first; from < end; from += PART) {
    const some = fc.sample(trials, { numRuns: Math.min(PART, end - from), seed: from });
    const lane = async (begin: number): Promise<void> => {
      for (let at = begin; at < some.length; at += lanes) {
        const trial = some[at];
        if (trial) await playShared(await homeOf(`player-${from + at}`, trial.rules), { trial, tally });
      }
    };
    await Promise.all(Array.from({ length: lanes }, (_, begin) => lane(begin)));
  }
  expect(tally.deaths).toBeGreaterThan(histories / 2);
  return tally;
};

const serviceOptions = {
  updateIndex: () => undefined,
  limits: { ...limits.writePath, pageMax: limits.events.pageMax },
  onFault: () => undefined,
};

it(`${ON_POSTGRES} histories of a town, a farm and pets on Postgres end as the oracle says, whichever process dies at which commit`, {
  timeout: HANG_MS,
}, async (context) => {
  const database = await migratedDatabase(inject('postgresUrl'));
  onTestFinished(() => database.drop());
  const direct = createPool({ url: database.url, max: 8, log: silentLog });
  // Draws as those of the rules that are played in one piece.
  await direct.query('update kibble.epoch set epoch = $1, secret = $2', [CHANCE.epoch, SECRET]);
  let commits = 0;
  const network = await lossyCommits(database.url, () => FATES[commits++ % FATES.length] ?? 'pass');
  onTestFinished(() => network.stop());
  const lanes = 8;
  const pool = createPool({ url: network.url, max: lanes, log: silentLog });
  onTestFinished(async () => {
    await pool.end();
    await direct.end();
  });
  const tally = await playMany({ histories: ON_POSTGRES, lanes }, async (playerId, rules) => {
    const clock = new ManualClock(START_AT_MS);
    await direct.query(
      `insert into kibble.home (player_id, seq, last_at, tx, opened, items)
       values ($1, 1, $2, 0, '{farm,pets,town}', $3)`,
      [playerId, START_AT_MS, newPlayed(playerId).items],
    );
    const boot = (): HomeService => {
      const modules = modulesOf(rules);
      const clocked = { pool, schema: 'kibble', nowMs: clock.nowMs };
      const store = new PostgresHomeStore({ database: new Database(clocked), modules, limits: limits.transaction });
      return new HomeService({ ...serviceOptions, modules, store, clock: systemClock });
    };
    return { playerId, boot, advanceTo: (nowMs) => clock.advanceTo(nowMs), run: (ask) => ask() };
  });
  const seen = `Postgres: ${tally.deaths} processes died at a commit; ${tally.finished} works finished; commits ${JSON.stringify(network.commits)}`;
  prove(context, { row: 22, tries: ON_POSTGRES, of: 'histories of two modules and one item', seen });
});

/** The database's clock is moved by hand; all that takes time in it takes none of the history's. */
class StandingDatabase extends SimDatabase {
  readonly clock = new ManualClock(START_AT_MS);

  override nowMs(): number {
    return this.clock.nowMs();
  }
}

/** The rules of a table: each change is one of both modules. */
const rulesOf = (all: readonly TwoRules[]): Pick<RulesStore, 'newest' | 'at'> => ({
  newest: async () => all.length - 1,
  at: async (number) => {
    const about = { number, version: number, source: 'operator', by: 'dee', reason: 'a sale', atMs: 0 } as const;
    const configs = Object.entries(all[number] ?? {});
    return { versions: configs.map(([module, config]) => ({ ...about, module, config })), items: [] };
  },
});

/** Only commits have a fate. */
class CommitWire extends Wire {
  readonly #fateOfNext: () => Fate;

  constructor(kernel: Kernel, fateOfNext: () => Fate) {
    super({ kernel, name: 'Postgres' });
    this.#fateOfNext = fateOfNext;
  }

  override async ask<T>(process: SimProcess, what: string, apply: () => T | Promise<T>): Promise<T> {
    const fate = what === 'save' ? this.#fateOfNext() : 'pass';
    if (fate === 'cut') throw new WireLost(`${process.name}: ${what}`);
    const value = await apply();
    if (fate === 'swallow') throw new WireLost(`${process.name}: ${what}`);
    return value;
  }
}

it(`${SIMULATED} such histories on the simulated store, while rules change and are rolled back, end as the oracle says`, {
  timeout: 7_200_000,
}, async (context) => {
  const commits = { pass: 0, swallow: 0, cut: 0 };
  let begun = 0;
  const fateOfNext = (): Fate => {
    const fate = FATES[begun++ % FATES.length] ?? 'pass';
    commits[fate] += 1;
    return fate;
  };
  const tally = await playMany({ histories: SIMULATED, first: SIMULATED_FROM, lanes: 1 }, async (playerId, rules) => {
    const kernel = new Kernel(1);
    const database = new StandingDatabase(kernel, 0);
    // Its first event is the one of which nothing is kept.
    const events = [{ seq: 1 } as HomeEvent];
    database.homes.set(playerId, { home: newPlayed(playerId), events, commands: new Map(), committedAtMs: [0] });
    const wire = new CommitWire(kernel, fateOfNext);
    const modules = modulesOf(rules);
    const versions = [rules];
    const boot = (): HomeService => {
      const process = new SimProcess(kernel, 'process', 0);
      const store = new SimHomeStore({ modules, process, database, wire });
      const inForce = new LoadedRules({ modules, store: rulesOf(versions), log: silentLog });
      return new HomeService({ ...serviceOptions, modules, rules: inForce, store, clock: process.clock });
    };
    const changeRules = (changed: TwoRules): void => {
      database.rulesNumber = versions.push(changed) - 1;
    };
    const run: SharedHome['run'] = async (ask) => {
      let isOver = false;
      const asked = ask().finally(() => {
        isOver = true;
      });
      // Its handler is added later than its rejection.
      asked.catch(() => undefined);
      while (!isOver) await kernel.run(kernel.nowMs + 100);
      return asked;
    };
    return { playerId, boot, advanceTo: (nowMs) => database.clock.advanceTo(nowMs), changeRules, run };
  });
  const seen = `simulated: ${tally.deaths} processes died at a commit; ${tally.finished} works finished; commits ${JSON.stringify(commits)}`;
  prove(
    context,
    { row: 22, tries: SIMULATED, of: 'histories of two modules and one item', seen },
    { row: 28, tries: SIMULATED, of: 'histories with changes of rules, on two processes' },
  );
});
