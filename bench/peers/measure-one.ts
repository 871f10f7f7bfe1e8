// One contender, one number of waiting timers, one round, in a process of its own. argv: a `Job` as JSON. Sends a
// `Measurement` to its parent.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { randomFrom } from '../../shared/random-from.ts';
import { type Contender, contenderNamed, openerOf } from './measure/contenders.ts';
import { Effects } from './measure/effects.ts';
import { FireLog } from './measure/fire-log.ts';
import { Job, type Measurement } from './measure/measurement.ts';
import type { Session } from './measure/session.ts';
import { measureBurst } from './phases/burst.ts';
import { measureCalls } from './phases/calls.ts';
import { fill, warmUp } from './phases/fill.ts';
import { measureLateness } from './phases/lateness.ts';
import { measureRace } from './phases/race.ts';

const SEED = 12_345;
/** Between phases, for what still runs. */
const PAUSE_MS = 500;
/** Workers connect and look for the first time. */
const START_MS = 1_000;

const measure = async (job: Job, found: Record<string, number>): Promise<void> => {
  const { pending, sizes, servers } = job;
  const contender = contenderNamed(job.contender);
  const pool = new Pool({ connectionString: servers.postgresUrl, max: 4 });
  await pool.query('create table effect (timer bigint not null, at bigint not null)');
  const open = await openerOf(contender);
  const system = await open(servers, contender.variant);
  settings = [...redisSettings(contender), system.settings].join('; ');
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
  Object.assign(found, filled.figures);
  Object.assign(found, await measureCalls(session, filled));
  if (job.isCallsAlone) return;
  await system.start(session.log);
  await sleep(START_MS);
  for (const phase of [measureLateness, measureBurst, measureRace]) {
    Object.assign(found, await phase(session));
    await sleep(PAUSE_MS);
  }
};

/** What is not as Redis has it by default. */
const redisSettings = ({ redis = {} }: Contender): readonly string[] =>
  Object.entries(redis).map(([name, value]) => `Redis with ${name} ${value}`);

let settings = '';
const job = Job.parse(JSON.parse(process.argv[2] ?? ''));
const figures: Record<string, number> = {};
const failed = await measure(job, figures).then(
  () => undefined,
  (error: unknown) => String(error),
);
const { contender, pending, round } = job;
// JSON has no NaN: what was not found is left out.
const finite = Object.fromEntries(Object.entries(figures).filter(([, value]) => Number.isFinite(value)));
const measurement: Measurement = {
  contender,
  pending,
  round,
  settings,
  figures: finite,
  ...(failed !== undefined && { failed }),
};
process.send?.(measurement, () => process.exit(0));
