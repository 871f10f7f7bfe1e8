// Measures one contender in its own process: `answerJob`.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { randomFrom } from '../../shared/random-from.ts';
import { answerJob, type Found } from '../harness/contender-run.ts';
import { type Contender, contenderNamed, openerOf } from './measure/contenders.ts';
import { Effects, FireLog } from './measure/fire-log.ts';
import { Job } from './measure/measurement.ts';
import type { Session } from './measure/session.ts';
import { fill, measureCalls, warmUp } from './phases/calls.ts';
import { measureBurst, measureLateness } from './phases/due.ts';
import { measureRace } from './phases/race.ts';

const SEED = 12_345;
/** The pause between phases, for work that still runs. */
const PAUSE_MS = 500;
/** Time for workers to connect and poll for the first time. */
const START_MS = 1_000;

const measure = async (job: Job, found: Found): Promise<void> => {
  const { pending, sizes, servers } = job;
  const contender = contenderNamed(job.contender);
  const pool = new Pool({ connectionString: servers.postgresUrl, max: 4 });
  await pool.query('create table effect (timer bigint not null, at bigint not null)');
  const open = await openerOf(contender);
  const system = await open(servers, contender.variant);
  found.settings = [...redisSettings(contender), system.settings].join('; ');
  let nextId = 1;
  const session: Session = {
    system,
    sizes,
    log: new FireLog(new Effects(pool)),
    random: randomFrom(SEED),
    schedulesPerSec: 1_000,
    takeIds: (count) => {
      const first = nextId;
      nextId += count;
      return first;
    },
  };

  await warmUp(session);
  const filled = await fill(session, pending, pool, servers.redisUrl);
  Object.assign(found.figures, filled.figures);
  Object.assign(found.figures, await measureCalls(session, filled));
  if (job.isCallsAlone) return;
  await system.start(session.log);
  await sleep(START_MS);
  for (const phase of [measureLateness, measureBurst, measureRace]) {
    Object.assign(found.figures, await phase(session));
    await sleep(PAUSE_MS);
  }
};

/** Settings that differ from Redis' defaults. */
const redisSettings = ({ redis = {} }: Contender): readonly string[] =>
  Object.entries(redis).map(([name, value]) => `Redis with ${name} ${value}`);

await answerJob(Job, measure);
