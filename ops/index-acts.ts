import type { OpsIndex, OpsJob } from '../shared/ops-answers.ts';
import { type Act, actOn } from './act.ts';
import { number } from './formats.ts';
import { hrefOf } from './route.ts';
import { words } from './words/words.ts';

const { acts, tell } = words;

export const indexActs = ({ shards }: OpsIndex): readonly Act[] => {
  const on = { parts: {}, on: words.overview.index, target: 'index' };
  const told = (index: OpsIndex): readonly string[] => [
    tell.index(index),
    index.found === undefined ? tell.indexAsk : `${tell.found}: ${JSON.stringify(index.found)}`,
  ];
  return [
    actOn({ route: 'reconcile', ...on, words: acts.reconcile, fields: [], tell: told }),
    actOn({ route: 'rebuild', ...on, words: acts.rebuild, isDanger: true, fields: [], tell: told }),
    actOn({
      route: 'reshard',
      ...on,
      words: acts.reshard,
      isDanger: true,
      fields: [{ type: 'number', name: 'shards', label: acts.reshard.shards, max: 1024, preset: shards }],
      tell: told,
    }),
  ];
};

/** A job: filter, how many, and a dry run come before anything is given. */
export const createJobAct = (): Act =>
  actOn({
    route: 'createJob',
    parts: {},
    words: acts.createJob,
    on: words.jobs.title,
    fields: [
      { type: 'items', name: 'items', label: acts.createJob.items },
      { type: 'text', name: 'species', label: acts.createJob.species, isOptional: true },
      { type: 'number', name: 'minLevel', label: acts.createJob.minLevel, max: 1000, isOptional: true },
      { type: 'check', name: 'hasPet', label: acts.createJob.hasPet },
      { type: 'instant', name: 'seenFromMs', label: acts.createJob.seenFrom },
      { type: 'instant', name: 'seenToMs', label: acts.createJob.seenTo },
      { type: 'lines', name: 'playerIds', label: acts.createJob.playerIds },
      { type: 'number', name: 'perSecond', label: acts.createJob.perSecond, max: 1000, preset: 100 },
    ],
    body: ({ items, perSecond, ...filter }) => ({ items, perSecond, filter }),
    tell: ({ count, sample }) => [
      tell.players({ count: number(count) }),
      ...(sample.length > 0 ? [tell.sample({ ids: sample.join(', ') })] : []),
    ],
    leadsTo: ({ job }) => (job ? hrefOf(['jobs', job.jobId]) : undefined),
  });

export const jobActs = ({ jobId, state }: OpsJob): readonly Act[] => {
  const on = { parts: { jobId }, on: jobId, target: `job:${jobId}`, fields: [] };
  const told = (job: OpsJob): readonly string[] => [
    tell.job({ done: number(job.done), total: number(job.total), state: words.jobs.states[job.state] }),
  ];
  if (state === 'running') return [actOn({ route: 'stopJob', ...on, words: acts.stopJob, tell: told })];
  if (state === 'stopped') return [actOn({ route: 'resumeJob', ...on, words: acts.resumeJob, tell: told })];
  return [];
};
