import type { OpsInput } from '../../../shared/ops/acts.ts';
import type { OpsAnswers, OpsUpcoming } from '../../../shared/ops/ops-answers.ts';
import { ok } from '../../../shared/result.ts';
import { thingOfSubject } from '../../domain/due-of.ts';
import type { Modules } from '../../domain/modules.ts';
import type { IndexCare } from '../../timer/index-care.ts';
import { isOfThing, type Timer } from '../../timer/model/timer.ts';
import type { TimerService } from '../../timer/timer-service.ts';
import { type AuditStore, timerTarget } from '../perform/audit.ts';
import { type OpsResult, refuse } from '../perform/refusal.ts';
import type { TimerCursor, TimerFilter, TimerLists } from './ops-reads.ts';
import { showTimer } from './show-timer.ts';
import type { OpsThingReads } from './thing-reads.ts';

interface Dependencies {
  readonly reads: TimerLists;
  readonly things: OpsThingReads;
  readonly audit: AuditStore;
  readonly timers: Pick<TimerService, 'find' | 'listByOwner'>;
  readonly index: Pick<IndexCare, 'ofOwner'>;
  readonly modules: Modules;
}

const PAGE = 50;
const MOST_GROUPS = 200;
const HOUR_MS = 3_600_000;
/** How many buckets a window has, and how long each is. */
const windows = {
  '1h': { count: 12, lengthMs: HOUR_MS / 12 },
  '24h': { count: 24, lengthMs: HOUR_MS },
  '7d': { count: 28, lengthMs: 6 * HOUR_MS },
} as const;

/** Timers as operators look at them. */
export class OpsTimerReads {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async list(input: OpsInput<'timers'>): Promise<OpsResult<OpsAnswers['timers']>> {
    const { reads } = this.#dependencies;
    const { state = 'scheduled', failed, after, limit = PAGE, ...rest } = input;
    const cursor = cursorOf(after);
    if (after !== undefined && !cursor) {
      return refuse('command/invalid', { faults: [{ path: 'after', message: 'is no place in a list' }] });
    }
    const filter: TimerFilter = { ...rest, state, hasFailed: failed !== undefined };
    const [count, nowMs] = await Promise.all([reads.countTimers(filter), reads.nowMs()]);
    const timers = await reads.listTimers(filter, { after: cursor, limit: limit + 1, outOf: count });
    const page = timers.slice(0, limit);
    const last = timers.length > limit ? page.at(-1) : undefined;
    return ok({ timers: page.map((timer) => showTimer(timer, nowMs)), count, next: last && nextOf(last), nowMs });
  }

  async show(timerId: string): Promise<OpsResult<OpsAnswers['timer']>> {
    const timer = await this.#find(timerId);
    return timer ? ok(showTimer(timer, await this.#dependencies.reads.nowMs())) : refuse('timer/unknown', { timerId });
  }

  async explain(timerId: string): Promise<OpsResult<OpsAnswers['explainTimer']>> {
    const { audit, reads, things, modules } = this.#dependencies;
    const timer = await this.#find(timerId);
    if (!timer) return refuse('timer/unknown', { timerId });
    const module = modules.ofTimer(timer.kind)?.name;
    const id = thingOfSubject(timer.owner, timer.subject);
    const asked = module === undefined || id === undefined ? undefined : { module, thing: id };
    const thing = asked && (await things.explain(timer.owner, asked));
    const nowMs = await reads.nowMs();
    return ok({
      timer: showTimer(timer, nowMs),
      thing: thing?.ok ? thing.value : undefined,
      audit: await audit.page(timerTarget(timerId), undefined, PAGE),
      nowMs,
    });
  }

  async ofPlayer(playerId: string): Promise<OpsResult<OpsAnswers['playerTimers']>> {
    const { reads, timers, index } = this.#dependencies;
    const [found, entries, nowMs] = await Promise.all([
      timers.listByOwner(playerId),
      index.ofOwner(playerId),
      reads.nowMs(),
    ]);
    return ok({ timers: found.map((timer) => showTimer(timer, nowMs)), index: entries, nowMs });
  }

  async upcoming(window: OpsUpcoming['window'] = '1h'): Promise<OpsResult<OpsUpcoming>> {
    const { reads } = this.#dependencies;
    const nowMs = await reads.nowMs();
    const { count, lengthMs } = windows[window];
    const bounds = Array.from({ length: count + 1 }, (_, at) => nowMs + at * lengthMs);
    const counts = await reads.histogram(bounds);
    const buckets = bounds.slice(0, count).map((fromMs, at) => ({
      fromMs,
      toMs: fromMs + lengthMs,
      count: counts[at + 1] ?? 0,
    }));
    return ok({ window, nowMs, buckets, overdue: counts[0] ?? 0, later: counts.at(-1) ?? 0 });
  }

  async failed(): Promise<OpsResult<OpsAnswers['failed']>> {
    return ok({ groups: await this.#dependencies.reads.failedGroups(MOST_GROUPS) });
  }

  async #find(timerId: string): Promise<Timer | undefined> {
    return (await this.#dependencies.timers.find([{ timerId }]))[0];
  }
}

/** A home on hold tries its things later than its rows lie. */
const nextOf = ({ state, dueAtMs, fireAtMs, updatedAtMs, id }: Timer): string =>
  `${state === 'scheduled' ? (isOfThing(id) ? dueAtMs : fireAtMs) : updatedAtMs}.${id}`;

const cursorOf = (after: string | undefined): TimerCursor | undefined => {
  const [, atMs, timerId] = /^(-?\d{1,16})\.(\d{1,18})$/.exec(after ?? '') ?? [];
  return atMs === undefined || timerId === undefined ? undefined : { atMs: Number(atMs), timerId };
};
