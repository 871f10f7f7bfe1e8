// What `npm run bench:strategies` runs. `--pending 1000,100000`, `--rounds 3`, `--only ring,zset` choose; `--quick` is
// one short round. What leaves contenders out is printed and not recorded. A record renews pages and plots.
import { createDatabase } from '../../test/support/postgres/postgres-server.ts';
import { renewFigures } from '../figures/renew.ts';
import { childMeasurement } from '../harness/child-measurement.ts';
import { Measurement } from '../harness/contender-run.ts';
import { emptyRedis } from '../harness/empty-redis.ts';
import { currentCommit, currentLoad, describeMachine } from '../harness/machine.ts';
import { quietMachine } from '../harness/quiet.ts';
import { aligned } from '../harness/report/report.ts';
import { Stores } from '../harness/stores.ts';
import { type Plan, planFrom } from './plan.ts';
import type { StrategiesResult } from './result/measurement.ts';
import { recordStrategies } from './result/record.ts';
import { tableOf } from './result/table.ts';

const QUIET_AT_MOST_MS = 500;
const AT_MOST_MS = 180_000;
const args = process.argv.slice(2);

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const measureOne = async (stores: Stores, work: Pick<Measurement, 'contender' | 'pending' | 'round'>, plan: Plan) => {
  await quietMachine(QUIET_AT_MOST_MS);
  const redisUrl = await stores.redisUrl();
  await emptyRedis(redisUrl);
  const database = await createDatabase(await stores.postgresUrl());
  const job = { ...work, sizes: plan.sizes, servers: { redisUrl, postgresUrl: database.url } };
  const answer = await childMeasurement(`${import.meta.dirname}/measure-one.ts`, job, AT_MOST_MS);
  await database.drop();
  const { success, data } = Measurement.safeParse(answer.message);
  return success ? data : { ...work, figures: {}, failed: `ended with ${answer.end} before it had measured` };
};

const measureAll = async (plan: Plan): Promise<StrategiesResult> => {
  // As it was when it was read by Node: files may be changed while it runs.
  const [commit, load] = [currentCommit(), currentLoad()];
  const stores = new Stores();
  try {
    const measurements: Measurement[] = [];
    for (const pending of plan.pendings) {
      for (let round = 0; round < plan.rounds; round += 1) {
        const first = (round * 5) % plan.names.length;
        for (const contender of [...plan.names.slice(first), ...plan.names.slice(0, first)]) {
          const startedAtMs = performance.now();
          const measurement = await measureOne(stores, { contender, pending, round }, plan);
          measurements.push(measurement);
          const took = `${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`;
          say(
            `  ${pending} waiting · round ${round + 1} of ${plan.rounds} · ${contender}: ${measurement.failed ?? took}`,
          );
        }
      }
    }
    return {
      atDay: new Date().toISOString().slice(0, 10),
      commit,
      command: ['npm run bench:strategies', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
      machine: { ...(await describeMachine(await stores.postgresUrl(), await stores.redisUrl())), load },
      loadAtEnd: currentLoad(),
      sizes: plan.sizes,
      measurements,
    };
  } finally {
    await stores.stop();
  }
};

const plan = planFrom(args);
const result = await measureAll(plan);
for (const pending of plan.pendings) say(`\n${pending} waiting\n${aligned(tableOf(result, pending))}`);
if (!plan.isQuick && !args.some((arg) => arg.startsWith('--only'))) {
  recordStrategies(result);
  await renewFigures(say);
}
