import { monitorEventLoopDelay } from 'node:perf_hooks';
import { AwayClock, awayRules, lookAt, orderOf } from '../../../test/support/game/away-home.ts';
import { homeDatabase } from '../../../test/support/postgres/home-database.ts';
import { fold, settle } from '../../../testing/pets-engine.ts';
import type { Row, Sample } from '../../harness/row.ts';

const AWAY = 'one home, 100,000 feedings';
const SIZES = { quick: { pets: 10, armed: 100 }, full: { pets: 100, armed: 1000 } };

/** What a player who comes back to the largest home that rules allow costs, and what all others feel of it. */
export const longSettle: Row = {
  name: 'long-settle',
  about:
    'A player comes back to 100 pets with 1,000 armed cards each, all eaten meanwhile: from the first command until its answer, on Postgres. Meanwhile another player sends one command after the other. The log is compared with one that was settled at once.',
  rounds: 3,
  figures: [
    { name: 'whole', unit: 's' },
    { name: 'cpu', unit: 's' },
    { name: "other player's p50", unit: 'ms' },
    { name: "other player's p99", unit: 'ms' },
    { name: 'longest pause of the event loop', unit: 'ms' },
    { name: 'largest commit', unit: 'count' },
  ],
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

/** Does `work`, and asks one thing after the other until it is done. */
const beside = async (work: () => Promise<void>, ask: () => Promise<unknown>): Promise<Sample> => {
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
  tookMs.sort((a, b) => a - b);
  const cpu = process.cpuUsage(cpuBefore);
  const at = (share: number): number => tookMs[Math.floor((tookMs.length - 1) * share)] ?? 0;
  return {
    whole: (performance.now() - startedAtMs) / 1000,
    cpu: (cpu.user + cpu.system) / 1e6,
    "other player's p50": at(0.5),
    "other player's p99": at(0.99),
    'longest pause of the event loop': pauses.max / 1e6,
  };
};
