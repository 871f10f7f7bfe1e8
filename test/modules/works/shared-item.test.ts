// Row 22 of the promises: modules that compete for items of one home, on a real Postgres, while processes die at their commits.
import fc from 'fast-check';
import { expect, inject, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../server/adapter/machine/system-clock.ts';
import { PostgresHomeStore } from '../../../server/adapter/postgres/home/home-store.ts';
import { ItemInventory } from '../../../server/adapter/postgres/home/item-inventory.ts';
import { createPool } from '../../../server/adapter/postgres/pool.ts';
import { PostgresTimerStore } from '../../../server/adapter/postgres/timer/timer-store.ts';
import { HomeService } from '../../../server/home/home-service.ts';
import type { HomeOrder } from '../../../server/home/model/homes.ts';
import { OutcomeUnknown } from '../../../server/home/model/store-fault.ts';
import { ManualClock } from '../../../server/runtime/manual-clock.ts';
import { limits } from '../../../server/settings/config.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { countOf } from '../../../shared/items.ts';
import { tries } from '../../proof/tries.ts';
import { silentLog } from '../../support/log/silent-log.ts';
import { migratedDatabase } from '../../support/postgres/home-database.ts';
import { type Fate, lossyCommits } from '../../support/postgres/lossy-commits.ts';
import { prove } from '../../support/properties/prove.ts';
import { modulesOf, newPlayed, playWorks, START_AT_MS, STOCK, type TwoRules } from '../../support/works/play-works.ts';
import { type Intent, worksHistory, worksRules } from '../../support/works/works-histories.ts';
import { WorksOracle } from '../../support/works/works-oracle.ts';

/** The long run has a hundred thousand: `HISTORIES=100000`. */
const HISTORIES = Number(process.env.HISTORIES ?? tries({ test: 20, proof: 1_000 }));
const AT_ONCE = 8;
const PART = 200;
/** Two commits in ten do not arrive, or their answer does not; then the process is gone, and another one comes. */
const FATES: readonly Fate[] = ['pass', 'pass', 'pass', 'swallow', 'pass', 'pass', 'pass', 'pass', 'pass', 'cut'];

const trials = fc.tuple(fc.record({ town: worksRules, farm: worksRules }), worksHistory);

it(`${HISTORIES} histories of a town, a farm and pets end as the oracle says, whichever process dies at which commit`, {
  timeout: 7_200_000,
}, async (context) => {
  const database = await migratedDatabase(inject('postgresUrl'));
  onTestFinished(() => database.drop());
  let commits = 0;
  const network = await lossyCommits(database.url, () => FATES[commits++ % FATES.length] ?? 'pass');
  onTestFinished(() => network.stop());
  const pool = createPool({ url: network.url, max: AT_ONCE, log: silentLog });
  const direct = createPool({ url: database.url, max: AT_ONCE, log: silentLog });
  onTestFinished(async () => {
    await pool.end();
    await direct.end();
  });
  const tally = { deaths: 0, finished: 0 };

  /** A process that has just begun. */
  const processOf = (rules: TwoRules, clock: ManualClock): HomeService => {
    const modules = modulesOf(rules);
    const clocked = { pool, schema: 'kibble', nowMs: clock.nowMs };
    const timers = new PostgresTimerStore(clocked);
    const inventory = new ItemInventory('kibble');
    return new HomeService({
      modules,
      store: new PostgresHomeStore({ modules, ...clocked, timers, inventory, limits: limits.transaction }),
      tellIndex: () => undefined,
      limits: { ...limits.writePath, pageMax: limits.events.pageMax },
      clock: systemClock,
      onFault: () => undefined,
    });
  };

  const play = async (playerId: string, rules: TwoRules, history: readonly Intent[]): Promise<void> => {
    const played = playWorks(history, { rules, later: rules, playerId });
    const oracle = new WorksOracle(STOCK, START_AT_MS);
    const clock = new ManualClock(START_AT_MS);
    let homes = processOf(rules, clock);
    /** Until the outcome is known; whoever did not tell it has died. */
    const until = async <Value>(ask: () => Promise<Value>): Promise<Value> => {
      for (;;) {
        try {
          return await ask();
        } catch (error) {
          if (!(error instanceof OutcomeUnknown)) throw error;
          tally.deaths += 1;
          homes = processOf(rules, clock);
        }
      }
    };
    await direct.query(
      `with h as (insert into kibble.home (player_id, seq, last_at, tx, opened) values ($1, 1, $2, 0, '{farm,pets,town}'))
       insert into kibble.item (player_id, item, count) select $1, key, value::int from jsonb_each_text($3)`,
      [playerId, START_AT_MS, newPlayed(playerId).items],
    );
    for (const [at, step] of played.steps.entries()) {
      clock.advance(step.nowMs - clock.nowMs());
      oracle.waitUntil(step.nowMs);
      if (step.command)
        expect(oracle.play(step.command.module === 'town' ? rules.town : rules.farm, step.command)).toBe(
          step.isAccepted,
        );
      const order: HomeOrder = { playerId, commandId: `command-${at}`, command: step.order };
      const [outcome] = await until(() => homes.handle([order]));
      expect([order, outcome?.ok]).toEqual([order, step.isAccepted]);
    }
    clock.advance(played.endMs - clock.nowMs());
    oracle.waitUntil(played.endMs);
    await until(() => homes.look([playerId]));
    const log: HomeEvent[] = [];
    for (let isTruncated = true; isTruncated; ) {
      const afterSeq = log.at(-1)?.seq ?? 1;
      const page = await until(() => homes.sync(playerId, { afterSeq, limit: limits.events.pageMax }));
      if (page.ok) log.push(...page.value.events);
      isTruncated = page.ok && page.value.truncated === true;
    }
    expect(log).toEqual(played.log);
    const works = log.filter(({ type }) => /^(town|farm)\//.test(type));
    expect(works.map(({ type, thing, at, items = {} }) => ({ what: `${type} ${thing}`, at, items }))).toEqual(
      oracle.lines,
    );
    const [view] = await until(() => homes.look([playerId]));
    for (const item of Object.keys(STOCK)) {
      expect([item, countOf(view?.home.items ?? {}, item)]).toEqual([item, oracle.stock[item] ?? 0]);
    }
    tally.finished += works.filter(({ type }) => type.endsWith('/finished')).length;
  };

  for (let from = 0; from < HISTORIES; from += PART) {
    const some = fc.sample(trials, { numRuns: Math.min(PART, HISTORIES - from), seed: from });
    const lane = async (first: number): Promise<void> => {
      for (let at = first; at < some.length; at += AT_ONCE) {
        const [rules, history] = some[at] ?? [];
        if (rules && history) await play(`player-${from + at}`, rules, history);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, first) => lane(first)));
  }
  expect(tally.deaths).toBeGreaterThan(HISTORIES / 2);
  const seen = `${tally.deaths} processes died at a commit; ${tally.finished} works finished; commits ${JSON.stringify(network.commits)}`;
  console.info(seen);
  prove(context, { row: 22, tries: HISTORIES, of: 'histories of two modules and one item', seen });
});
