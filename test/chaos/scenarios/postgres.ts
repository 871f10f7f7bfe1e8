import { setTimeout as pass } from 'node:timers/promises';
import { until } from '../play/within.ts';
import { onDatabase, type World } from '../world/world.ts';
import type { Scenario } from './scenario.ts';

const servers = { roles: ['gateway', 'gateway', 'worker'], redis: 'single', othersGoOn: false } as const;
const AWAY_MS = 3_000;
const BOUND_MS = 5_000;
const TERMINATIONS = 5;
const CONNECTED_MS = 5_000;

/** What happens to Postgres, and between it and the servers. */
export const postgresScenarios: readonly Scenario[] = [
  {
    name: 'Postgres killed',
    speaksFor: [
      { row: 15, of: 'times Postgres killed', times: 1 },
      { row: 15, of: 'times serving within 5 s again', times: 1 },
      { row: 11, of: 'times Postgres away, max 5 s late beyond that', times: 1 },
    ],
    ...servers,
    boundMs: BOUND_MS,
    strike: async ({ world: { postgres } }) => {
      const killedAtMs = performance.now();
      await postgres.kill();
      await pass(AWAY_MS);
      await postgres.restart();
      return { awayMs: performance.now() - killedAtMs, backAtMs: [Date.now()] };
    },
  },
];

/** The same, in other ways. */
export const longPostgresScenarios: readonly Scenario[] = [
  {
    name: 'all backends terminated',
    speaksFor: [],
    ...servers,
    boundMs: BOUND_MS,
    strike: async ({ world, random }) => {
      const backAtMs: number[] = [];
      let terminated = 0;
      for (let times = 0; times < TERMINATIONS; times += 1) {
        const ended = await terminateAll(world);
        terminated += ended;
        if (ended > 0) backAtMs.push(Date.now());
        await pass(300 + random.below(700));
        await until(
          'servers are connected again',
          CONNECTED_MS,
          async () => (await backends(world)) >= world.nodes.length,
        );
      }
      const counted = [
        { row: 15, of: 'terminated backends', times: terminated },
        { row: 15, of: 'times serving within 5 s again', times: backAtMs.length },
      ];
      return { counted, backAtMs };
    },
  },
  {
    name: 'connections to Postgres go silent',
    speaksFor: [
      { row: 15, of: 'times serving within 5 s again', times: 1 },
      { row: 11, of: 'times Postgres away, max 5 s late beyond that', times: 1 },
    ],
    ...servers,
    reached: 'network',
    boundMs: BOUND_MS,
    strike: async ({ world: { network } }) => {
      const silent = network?.cut() ?? 0;
      await pass(AWAY_MS);
      network?.restore();
      const counted = [{ row: 15, of: 'connections that went silent', times: silent }];
      return { awayMs: AWAY_MS, counted, backAtMs: [Date.now()] };
    },
  },
];

/** Those of the servers: not ours. */
const THEIRS = `from pg_stat_activity where datname = current_database() and application_name in
  (select unnest($1::text[]))`;

const terminateAll = (world: World): Promise<number> => count(world, `select pg_terminate_backend(pid) ${THEIRS}`);

const backends = (world: World): Promise<number> => count(world, `select ${THEIRS}`);

const count = (world: World, sql: string): Promise<number> =>
  onDatabase(world, async (client) => {
    const { rowCount } = await client.query(sql, [world.nodes.map(({ name }) => name)]);
    return rowCount ?? 0;
  });
