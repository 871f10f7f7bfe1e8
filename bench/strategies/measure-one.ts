// One contender, one number of waiting timers, one round, in a process of its own. argv: a `Job` as JSON. Sends a
// `Measurement` to its parent.
import type { Measurement } from '../harness/contender-run.ts';
import { type Found, measure, measureIdle } from './measure.ts';
import { Job } from './result/measurement.ts';
import { openStoreCpu } from './store-cpu.ts';
import { openStoreSizes } from './store-sizes.ts';
import { contenders, NOTHING } from './systems/contenders.ts';

const run = async (job: Job, found: Found): Promise<void> => {
  const { redisUrl, postgresUrl } = job.servers;
  const storeCpu = await openStoreCpu(redisUrl, postgresUrl);
  const storeSizes = openStoreSizes(redisUrl, postgresUrl);
  if (job.contender === NOTHING) {
    await measureIdle(job.sizes.idleAtMostMs, { storeCpu }, found);
    delete found.idleOwnUs;
    return;
  }
  const contender = contenders.find(({ name }) => name === job.contender);
  if (contender === undefined) throw new Error(`no contender ${job.contender}`);
  await measure(contender, { ...job, storeCpu, storeSizes }, found);
};

const job = Job.parse(JSON.parse(process.argv[2] ?? ''));
const found: Found = {};
const failed = await run(job, found).then(
  () => undefined,
  (error: unknown) => String(error),
);
const { contender, pending, round } = job;
// JSON has no NaN: what was not found is left out.
const figures = Object.fromEntries(Object.entries(found).filter(([, value]) => Number.isFinite(value)));
const measurement: Measurement = { contender, pending, round, figures, ...(failed !== undefined && { failed }) };
process.send?.(measurement, () => process.exit(0));
