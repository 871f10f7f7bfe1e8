import { ok, refused } from '../../../shared/result.ts';
import { entryOf, type IndexEntry } from '../model/index-entry.ts';
import type { Timer } from '../model/timer.ts';
import type { CallKind, FireKind } from '../model/timer-kind.ts';
import type { TimerUpdate } from '../model/timer-store.ts';
import { judgeTurn, type MisfirePolicy, type TurnJudgement } from '../recurrence/misfire.ts';
import { failOwn } from './failure.ts';
import type { FiringTools } from './firing-tools.ts';
import { publish, requeue, requeueAfterFault } from './requeue.ts';

/** A row and its judgement. */
interface Judged {
  readonly timer: Timer;
  readonly judgement: TurnJudgement;
}

interface Sorted {
  /** Rows that fire now. */
  readonly firing: readonly Timer[];
  /** Entries of timers that fire later. */
  readonly later: readonly IndexEntry[];
}

/**
 * Judges due timers before their first attempt, in their lane: other kinds do not wait. The judgement is saved before
 * the handler runs, so that all attempts of a turn get the same one. Costs no statement if no timer is late. Never
 * throws: if saving fails, the timers are requeued. If the store refuses a judgement, its timer alone has failed.
 */
export const judgeLate = async (
  tools: FiringTools,
  kind: FireKind | CallKind,
  due: readonly Timer[],
): Promise<Sorted> => {
  const nowMs = tools.storeClock.nowMs();
  const late = due.filter((timer) => judgementOf(timer, kind.misfire, nowMs) !== undefined);
  if (late.length === 0) return { firing: due, later: [] };
  const judged = new Map<string, Judged>();
  const saved = await tools.store
    .fire(late, async (_tx, at) => {
      for (const timer of at.timers) {
        const judgement = judgementOf(timer, kind.misfire, at.nowMs);
        if (judgement) judged.set(timer.id, { timer, judgement });
      }
      return [...judged.values()].map(updateOf);
    })
    .then(ok, refused);
  if (!saved.ok) return notSaved(tools, kind, { due, late, error: saved.error });
  const locked = saved.value;
  observe(tools, kind.kind, [...judged.values()]);
  const obtained = new Set(locked.timers.map(({ id }) => id));
  const away = late.filter(({ id }) => !obtained.has(id));
  const isAway = new Set(away);
  const rows = due.filter((timer) => !isAway.has(timer)).map((timer) => rowAfter(judged.get(timer.id), timer));
  const scheduled = rows.filter(({ state }) => state === 'scheduled');
  await publish(tools, { put: [], remove: rows.filter(({ state }) => state !== 'scheduled').map(entryOf) });
  return {
    firing: scheduled.filter(({ fireAtMs }) => fireAtMs <= locked.nowMs),
    later: [
      ...scheduled.filter(({ fireAtMs }) => fireAtMs > locked.nowMs).map(entryOf),
      ...requeue(tools, away, { reason: 'locked', nowMs: locked.nowMs }),
    ],
  };
};

/** Halves timers whose judgements the store refuses, until the refused one is alone. */
const notSaved = async (
  tools: FiringTools,
  kind: FireKind | CallKind,
  { due, late, error }: { readonly due: readonly Timer[]; readonly late: readonly Timer[]; readonly error: unknown },
): Promise<Sorted> => {
  const [first, ...others] = late;
  const isRefused = !tools.store.isWorldFault(error) && !tools.store.isContention(error);
  if (isRefused && others.length > 0) {
    const middle = Math.ceil(due.length / 2);
    const earlier = await judgeLate(tools, kind, due.slice(0, middle));
    const rest = await judgeLate(tools, kind, due.slice(middle));
    return { firing: [...earlier.firing, ...rest.firing], later: [...earlier.later, ...rest.later] };
  }
  const later =
    isRefused && first !== undefined
      ? await failOwn(tools, first, error, kind.retryDelaysMs)
      : requeueAfterFault(tools, late, error);
  const isLate = new Set(late);
  return { firing: due.filter((timer) => !isLate.has(timer)), later };
};

/** Undefined: the timer fires as it is, also if its recurrence cannot be read here: then the handler's attempt fails. */
const judgementOf = (timer: Timer, ofKind: MisfirePolicy | undefined, nowMs: number): TurnJudgement | undefined => {
  if (timer.attempt > 0 || timer.claims > 0 || timer.lateness) return undefined;
  if (!timer.recurrence && !timer.misfire && !ofKind) return undefined;
  try {
    return judgeTurn(timer, { ...ofKind, ...timer.misfire }, nowMs);
  } catch {
    return undefined;
  }
};

const updateOf = ({ timer, judgement }: Judged): TimerUpdate => {
  const { id: timerId, revision, fireAtMs, turn } = timer;
  const { lateness, verdict } = judgement;
  const row = { timerId, revision, attempt: 0 };
  if (verdict === 'skip') {
    const { next } = judgement;
    if (next) return { ...row, state: 'scheduled', fireAtMs: next.dueAtMs, again: next };
    const { lateMs, missed } = lateness;
    return { ...row, state: 'completed', fireAtMs, result: { misfired: true, lateMs, missed } };
  }
  const isMoved = judgement.turn.turn > turn;
  const moved = isMoved ? { fireAtMs: judgement.turn.dueAtMs, again: judgement.turn } : { fireAtMs };
  if (verdict === 'fire') return { ...row, ...moved, state: 'scheduled', lateness };
  // A filter for dead timers looks for failed attempts.
  return { ...row, ...moved, attempt: 1, state: 'dead', lateness, lastError: textOf(lateness.lateMs) };
};

const rowAfter = (judged: Judged | undefined, timer: Timer): Timer => {
  if (!judged) return timer;
  const { state, fireAtMs, again, lateness } = updateOf(judged);
  const { dueAtMs, turn } = again ?? timer;
  return { ...judged.timer, state, fireAtMs, dueAtMs, turn, lateness, revision: timer.revision + 1 };
};

const observe = (tools: FiringTools, kind: string, judged: readonly Judged[]): void => {
  const count = (is: (judgement: TurnJudgement) => boolean): number =>
    judged.filter(({ judgement }) => is(judgement)).length;
  const counts = {
    skipped: count(({ verdict }) => verdict === 'skip'),
    handed: count(({ verdict, lateness }) => verdict === 'fire' && lateness.isMisfire),
    missed: judged.reduce((sum, { judgement }) => sum + judgement.lateness.missed, 0),
  };
  tools.observe({ type: 'misfired', kind, ...counts });
  for (const { timer, judgement } of judged) {
    if (judgement.verdict !== 'dead') continue;
    tools.observe({ type: 'dead', timer, error: new Error(textOf(judgement.lateness.lateMs)) });
  }
};

const textOf = (lateMs: number): string => `misfire: it came ${lateMs} ms late, and its policy is to be dead then`;
