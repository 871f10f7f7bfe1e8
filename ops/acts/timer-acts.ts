import type { OpsFailedGroup } from '../../shared/ops/ops-answers.ts';
import type { OpsTimer } from '../../shared/ops/ops-timer.ts';
import { number } from '../words/formats.ts';
import { words } from '../words/words.ts';
import { type Act, actOn, tellTimer } from './act.ts';

/** What operators do to a timer of a game's own kind; derived ones follow from a home. */
export const timerActs = (timer: OpsTimer, nowMs: number): readonly Act[] => {
  const { timerId, kind, state, isDerived, isPaused } = timer;
  if (isDerived) return [];
  const on = {
    parts: { timerId },
    on: `${kind} · ${timerId}`,
    target: `timer:${timerId}`,
    tell: tellTimer(nowMs, timer),
  };
  const complete = actOn({
    route: 'completeTimer',
    ...on,
    words: words().acts.completeTimer,
    isDanger: true,
    isFinal: true,
    fields: [],
  });
  if (state === 'dead')
    return [actOn({ route: 'reviveTimer', ...on, words: words().acts.reviveTimer, fields: [] }), complete];
  if (state !== 'scheduled') return [];
  return [
    actOn({
      route: 'shiftTimer',
      ...on,
      words: words().acts.shiftTimer,
      fields: [{ type: 'shift', name: 'byMs', label: words().acts.shift.by }],
    }),
    actOn({ route: 'fireTimer', ...on, words: words().acts.fireTimer, fields: [] }),
    isPaused
      ? actOn({ route: 'resumeTimer', ...on, words: words().acts.resumeTimer, fields: [] })
      : actOn({ route: 'pauseTimer', ...on, words: words().acts.pauseTimer, fields: [] }),
    complete,
    actOn({ route: 'cancelTimer', ...on, words: words().acts.cancelTimer, isDanger: true, isFinal: true, fields: [] }),
  ];
};

export const reviveGroup = ({ kind, error, count }: OpsFailedGroup): Act =>
  actOn({
    route: 'reviveDead',
    parts: {},
    words: words().acts.reviveDead,
    on: kind,
    target: `timers:${kind}`,
    fields: [
      { type: 'number', name: 'limit', label: words().acts.reviveDead.limit, max: 1000, preset: Math.min(count, 1000) },
    ],
    body: (values) => ({ ...values, kind, error }),
    tell: ({ count: revived }) => [words().tell.timers({ count: number(revived) })],
  });
