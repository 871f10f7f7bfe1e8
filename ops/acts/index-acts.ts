import { conditionsOf } from '../../shared/ops/conditions.ts';
import type { OpsDifferences, OpsIndex, OpsJob } from '../../shared/ops/ops-answers.ts';
import { hrefOf } from '../session/route.ts';
import { number } from '../words/formats.ts';
import { modules } from '../words/module-words.ts';
import { words } from '../words/words.ts';
import { type Act, actOn, type Values } from './act.ts';

export const indexActs = ({ shards }: OpsIndex): readonly Act[] => {
  const on = { parts: {}, on: words().overview.index, target: 'index' };
  const told = (index: OpsIndex): readonly string[] => [
    words().tell.index(index),
    index.found === undefined ? words().tell.indexAsk : foundText(index.found),
  ];
  return [
    actOn({ route: 'reconcile', ...on, words: words().acts.reconcile, fields: [], tell: told }),
    actOn({ route: 'rebuild', ...on, words: words().acts.rebuild, isDanger: true, fields: [], tell: told }),
    actOn({
      route: 'reshard',
      ...on,
      words: words().acts.reshard,
      isDanger: true,
      fields: [{ type: 'number', name: 'shards', label: words().acts.reshard.shards, max: 1024, preset: shards }],
      tell: told,
    }),
  ];
};

const foundText = ({ missing, misplaced, ghosts }: OpsDifferences): string =>
  missing + misplaced + ghosts === 0
    ? words().tell.nothingFound
    : words().tell.found({ missing: number(missing), misplaced: number(misplaced), ghosts: number(ghosts) });

/** A job: filter, how many, and a dry run come before anything is given. */
export const createJobAct = (): Act =>
  actOn({
    route: 'createJob',
    parts: {},
    words: words().acts.createJob,
    on: words().jobs.title,
    fields: [
      { type: 'items', name: 'items', label: words().acts.createJob.items },
      {
        type: 'choice',
        name: 'module',
        label: words().acts.createJob.module,
        of: modules.value.map(({ name }) => name),
      },
      {
        ...{ type: 'text', name: 'where', label: words().acts.createJob.where, isOptional: true },
        ...{ pattern: CONDITIONS, placeholder: 'level = 3, gold >= 30' },
      },
      { type: 'check', name: 'isMissing', label: words().acts.createJob.isMissing },
      { type: 'instant', name: 'seenFromMs', label: words().acts.createJob.seenFrom },
      { type: 'instant', name: 'seenToMs', label: words().acts.createJob.seenTo },
      { type: 'lines', name: 'playerIds', label: words().acts.createJob.playerIds },
      { type: 'number', name: 'perSecond', label: words().acts.createJob.perSecond, max: 1000, preset: 100 },
    ],
    body: ({ items, perSecond, module, where, isMissing, ...filter }) => ({
      items,
      perSecond,
      filter: { ...filter, ...thingsOf({ module, where, isMissing }) },
    }),
    tell: ({ count, sample }) => [
      words().tell.players({ count: number(count) }),
      ...(sample.length > 0 ? [words().tell.sample({ ids: sample.join(words().list) })] : []),
    ],
    leadsTo: ({ job }) => (job ? hrefOf(['jobs', job.jobId]) : undefined),
  });

/** `field = value` or `field >= number`, with commas. */
const CONDITIONS = '\\s*[\\w\\-]+\\s*(=|>=)[^,]+(,\\s*[\\w\\-]+\\s*(=|>=)[^,]+)*';

/** Conditions without a module are sent as they are: the server refuses them, and nobody gets more than was meant. */
const thingsOf = ({ module, where, isMissing }: Values) => {
  if (module === undefined && where === undefined && isMissing === undefined) return {};
  return { things: { module, isMissing, ...conditionsOf(typeof where === 'string' ? where.split(',') : []) } };
};

export const jobActs = ({ jobId, state }: OpsJob): readonly Act[] => {
  const on = { parts: { jobId }, on: jobId, target: `job:${jobId}`, fields: [] };
  const told = (job: OpsJob): readonly string[] => [
    words().tell.job({ done: number(job.done), total: number(job.total), state: words().jobs.states[job.state] }),
  ];
  if (state === 'running') return [actOn({ route: 'stopJob', ...on, words: words().acts.stopJob, tell: told })];
  if (state === 'stopped') return [actOn({ route: 'resumeJob', ...on, words: words().acts.resumeJob, tell: told })];
  return [];
};
