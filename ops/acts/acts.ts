import { conditionsOf } from '../../shared/ops/conditions.ts';
import type {
  OpsAnswers,
  OpsDifferences,
  OpsFailedGroup,
  OpsIndex,
  OpsJob,
  OpsPlayer,
} from '../../shared/ops/ops-answers.ts';
import type { OpsThing } from '../../shared/ops/ops-thing.ts';
import type { OpsKind, OpsTimer } from '../../shared/ops/ops-timer.ts';
import { hrefOf } from '../session/route.ts';
import { eventText } from '../words/event-text.ts';
import { instant, number, signed } from '../words/formats.ts';
import { modules } from '../words/module-words.ts';
import { words } from '../words/words.ts';
import { type Act, actOn, type Values } from './act.ts';

/** Operators' acts on a player, frequent ones first. */
export const playerActs = ({ playerId, frozenAtMs, nowMs }: OpsPlayer): readonly Act[] => {
  const parts = { playerId };
  const on = { parts, on: playerId, target: `player:${playerId}` };
  const tell = tellReplied(nowMs);
  return [
    actOn('grant', { ...on, tell }),
    actOn('take', { ...on, tell }),
    actOn(frozenAtMs === undefined ? 'freeze' : 'unfreeze', { ...on, tell }),
    actOn('merge', {
      ...on,
      tell: ({ guest, moved, left, aboveLimit }) => [
        ...tell(guest),
        ...moved.map(({ thing, becomes }) => words().tell.becomes({ from: thing, to: becomes })),
        ...left.map(({ module, thing }) => words().tell.left({ module, thing })),
        ...aboveLimit.map(({ module, have, limit }) => words().tell.aboveLimit({ module, have, limit })),
      ],
    }),
    // The audit names only a hash, so the entry is searched among the newest.
    actOn('erase', {
      ...{ parts, on: playerId, mustType: playerId },
      tell: ({ removed, related }) => [
        ...Object.entries(removed)
          .filter(([, count]) => count > 0)
          .map(([table, count]) => words().tell.removed({ count: number(count), table })),
        ...(related.length > 0 ? [words().tell.related({ ids: related.join(words().list) })] : []),
      ],
      leadsTo: () => hrefOf([]),
    }),
  ];
};

interface SeenThing {
  readonly playerId: string;
  readonly thing: OpsThing;
  readonly nowMs: number;
}

/** Operators' acts on a thing with a due time, as far as its module supports them. */
export const thingActs = ({ playerId, thing, nowMs }: SeenThing): readonly Act[] => {
  const { module, id, title, run, dueAtMs } = thing;
  const offered = modules.value.find(({ name }) => name === module);
  if (offered === undefined || dueAtMs === undefined) return [];
  const on = {
    parts: { playerId },
    on: title === undefined ? run : `${title} · ${run}`,
    target: `player:${playerId}`,
    given: { module, thing: id, run },
  };
  return [
    ...(offered.canShift ? [actOn('shift', { ...on, tell: tellReplied(nowMs, dueAtMs) })] : []),
    ...(offered.canStop ? [actOn('stop', { ...on, tell: tellReplied(nowMs) })] : []),
  ];
};

/** Operators' acts on a timer of a game's own kind; derived timers follow from a home. */
export const timerActs = (timer: OpsTimer, nowMs: number): readonly Act[] => {
  const { timerId, kind, state, isDerived, isPaused } = timer;
  const on = {
    parts: { timerId },
    on: `${kind} · ${timerId}`,
    target: `timer:${timerId}`,
    tell: tellTimer(nowMs, timer),
  };
  if (isDerived) return [];
  if (state === 'dead') return [actOn('reviveTimer', on), actOn('completeTimer', on), actOn('cancelTimer', on)];
  if (state !== 'scheduled') return [];
  return [
    actOn('shiftTimer', on),
    actOn('fireTimer', on),
    actOn(isPaused ? 'resumeTimer' : 'pauseTimer', on),
    actOn('completeTimer', on),
    actOn('cancelTimer', on),
  ];
};

export const reviveGroup = ({ kind, error, count }: OpsFailedGroup): Act =>
  actOn('reviveDead', {
    parts: {},
    on: kind,
    target: `timers:${kind}`,
    given: { kind, error },
    presets: { limit: Math.min(count, 1000) },
    tell: ({ count: revived }) => [words().tell.timers({ count: number(revived) })],
  });

/** Operators' acts on all timers of a kind. */
export const kindActs = ({ kind, isPaused }: OpsKind): readonly Act[] => [
  actOn(isPaused ? 'resumeKind' : 'pauseKind', {
    parts: { kind },
    on: kind,
    target: `timers:${kind}`,
    tell: (after) => [words().overview[after.isPaused ? 'paused' : 'fires']],
  }),
];

export const indexActs = ({ shards }: OpsIndex): readonly Act[] => {
  const on = {
    parts: {},
    on: words().overview.index,
    target: 'index',
    tell: (index: OpsIndex) => [
      words().tell.index(index),
      ...(index.wantedShards ? [words().overview.wanted({ shards: index.wantedShards })] : []),
      index.found === undefined ? words().tell.indexAsk : foundText(index.found),
    ],
  };
  return [actOn('reconcile', on), actOn('rebuild', on), actOn('reshard', { ...on, presets: { shards } })];
};

const foundText = ({ missing, misplaced, ghosts }: OpsDifferences): string =>
  missing + misplaced + ghosts === 0
    ? words().tell.nothingFound
    : words().tell.found({ missing: number(missing), misplaced: number(misplaced), ghosts: number(ghosts) });

/** A job: its filter, the count and a dry run come before any gift. */
export const createJobAct = (): Act => {
  const { fields } = words();
  return actOn('createJob', {
    parts: {},
    on: words().jobs.title,
    form: {
      fields: [
        { type: 'items', name: 'items', label: fields.each },
        { type: 'choice', name: 'module', label: fields.module, of: modules.value.map(({ name }) => name) },
        {
          ...{ type: 'text', name: 'where', label: fields.where, isOptional: true },
          ...{ pattern: CONDITIONS, placeholder: 'level = 3, gold >= 30' },
        },
        { type: 'flag', name: 'isMissing', label: fields.isMissing },
        { type: 'instant', name: 'seenFromMs', label: fields.seenFromMs },
        { type: 'instant', name: 'seenToMs', label: fields.seenToMs },
        { type: 'lines', name: 'playerIds', label: fields.playerIds },
        { type: 'whole', name: 'perSecond', label: fields.perSecond, max: 1000, preset: 100 },
      ],
      body: ({ items, perSecond, module, where, isMissing, ...filter }) => ({
        items,
        perSecond,
        filter: { ...filter, ...thingsOf({ module, where, isMissing }) },
      }),
    },
    tell: ({ count, sample }) => [
      words().tell.players({ count: number(count) }),
      ...(sample.length > 0 ? [words().tell.sample({ ids: sample.join(words().list) })] : []),
    ],
    leadsTo: ({ job }) => (job ? hrefOf(['jobs', job.jobId]) : undefined),
  });
};

/** `field = value` or `field >= number`, with commas; Chinese keyboards type the wide one. */
const CONDITIONS = '\\s*[\\w\\-]+\\s*(=|>=)[^,，]+([,，]\\s*[\\w\\-]+\\s*(=|>=)[^,，]+)*';

/** Conditions without a module are sent unchanged: the server refuses them, so no other player gets a gift. */
const thingsOf = ({ module, where, isMissing }: Values) => {
  if (module === undefined && where === undefined && isMissing === undefined) return {};
  return { things: { module, isMissing, ...conditionsOf(typeof where === 'string' ? where.split(/[,，]/) : []) } };
};

export const jobActs = ({ jobId, state }: OpsJob): readonly Act[] => {
  if (state === 'done') return [];
  return [
    actOn(state === 'running' ? 'stopJob' : 'resumeJob', {
      parts: { jobId },
      on: jobId,
      target: `job:${jobId}`,
      tell: (job) => [
        words().tell.job({ done: number(job.done), total: number(job.total), state: words().jobs.states[job.state] }),
      ],
    }),
  ];
};

/** The events of a command, and the change of the due time, which is 0 if the command has ended the run. */
const tellReplied =
  (nowMs: number, dueBeforeMs?: number) =>
  ({ events, dueAt = 0 }: OpsAnswers['grant']['answer']): readonly string[] => [
    ...(dueAt > 0 && dueBeforeMs !== undefined ? [dueMove(dueBeforeMs, dueAt, nowMs)] : []),
    ...(events.length === 0 ? [words().tell.noEvents] : events.map((event) => eventText(event, nowMs))),
  ];

const tellTimer =
  (nowMs: number, before: OpsTimer) =>
  (after: OpsTimer): readonly string[] => [
    words().tell.state({
      state: after.isPaused ? words().timers.paused : (words().timers.states[after.state] ?? after.state),
    }),
    ...(after.state === 'scheduled' && after.dueAtMs !== before.dueAtMs
      ? [dueMove(before.dueAtMs, after.dueAtMs, nowMs)]
      : []),
  ];

const dueMove = (beforeMs: number, afterMs: number, nowMs: number): string =>
  words().tell.dueFrom({
    before: instant(beforeMs, nowMs),
    after: instant(afterMs, nowMs),
    effect: signed(afterMs - beforeMs),
  });
