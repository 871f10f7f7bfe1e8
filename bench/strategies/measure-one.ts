// Measures one contender in its own process: `answerJob`.
import { answerJob, type Found } from '../harness/contender-run.ts';
import { measure, measureIdle } from './measure.ts';
import { Job } from './result/results.ts';
import { openStoreCpu } from './store-use.ts';
import { contenders, NOTHING } from './systems/contenders.ts';

await answerJob(Job, async (job: Job, { figures }: Found): Promise<void> => {
  const { redisUrl, postgresUrl } = job.servers;
  const storeCpu = await openStoreCpu(redisUrl, postgresUrl);
  if (job.contender === NOTHING) {
    await measureIdle(job.sizes.idleAtMostMs, { storeCpu }, figures);
    delete figures.idleOwnUs;
    return;
  }
  const contender = contenders.find(({ name }) => name === job.contender);
  if (contender === undefined) throw new Error(`no contender ${job.contender}`);
  await measure(contender, { ...job, storeCpu }, figures);
});
