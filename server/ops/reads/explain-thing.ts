import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, newHome, type Thing, thingsOf } from '../../../shared/home.ts';
import { omit } from '../../../shared/omit.ts';
import type { OpsExplanation, OpsStep } from '../../../shared/ops/ops-explanation.ts';
import { runNamed, runOf, thingDueAt, waitingTimeOf } from '../../domain/due-of.ts';
import { evolve } from '../../domain/evolve.ts';
import type { LoadedModule, Modules } from '../../domain/modules.ts';
import { workAt, workIn } from './work-in.ts';

/** An event as the log has it. */
export interface LoggedEvent {
  readonly event: HomeEvent;
  /** The reading of the clock that its batch was given; undefined: less than a second from the event's own time. */
  readonly readAtMs: number | undefined;
}

/** A player's log as far as it is there: what was folded away, and everything after it. */
export interface WholeLog {
  readonly checkpoint: Home | undefined;
  readonly events: readonly LoggedEvent[];
}

/** What is to be explained: a thing as it is now, or a run, also one that has ended. */
export interface Explained {
  readonly playerId: string;
  readonly module: LoadedModule;
  readonly thing?: string | undefined;
  readonly run?: string | undefined;
}

type Ledger = Omit<OpsExplanation, 'timerDueAtMs' | 'isConsistent' | 'nowMs'>;

/**
 * Why a thing is due when it is: every entry of the log that has to do with it since it last rested, what each did to
 * the due time, and with which numbers. Undefined when the log knows no such thing, or no such run.
 */
export const explainThing = (modules: Modules, wanted: Explained, log: WholeLog): Ledger | undefined => {
  const { playerId, module } = wanted;
  const { spans, known, home } = livesOf(modules, module, playerId, log);
  const span = spans.findLast((one) => isWanted(one, wanted));
  const id = span?.thing ?? wanted.thing;
  if (id === undefined || !known.has(id) || (!span && wanted.run !== undefined)) return undefined;
  const thing = thingOf(home, module.name, id);
  const isNow = thing !== undefined && span?.end === undefined;
  const dueAtMs = isNow ? thingDueAt(module, id, thing) : undefined;
  const waitingSinceMs = isNow ? waitingTimeOf(module, id, thing) : undefined;
  return {
    playerId,
    module: module.name,
    thing: id,
    title: thing && module.rules.title?.(thing, id),
    run:
      (isNow ? undefined : [...(span?.runs ?? [])].at(-1)) ??
      runOf(module, playerId, { id, thing: thing ?? module.initial }),
    state: span?.end ?? (dueAtMs !== undefined ? 'running' : waitingSinceMs !== undefined ? 'waiting' : 'resting'),
    dueAtMs,
    waitingSinceMs,
    isCut: span?.steps[0]?.type === 'kept',
    steps: span?.steps ?? [],
  };
};

/** A run has the player before it where operators read it, and not in the event. */
const isWanted = ({ thing, runs }: Span, { playerId, module, ...wanted }: Explained): boolean =>
  (wanted.thing === undefined || thing === wanted.thing) &&
  (wanted.run === undefined || runs.has(wanted.run) || runs.has(runNamed(module, playerId, wanted.run)));

/** What happened to a thing from a rest, or a time it was due, to the next. */
interface Span {
  readonly thing: string;
  /** What it was at, whenever it had a due time. */
  readonly runs: ReadonlySet<string>;
  readonly steps: readonly OpsStep[];
  /** Undefined: it goes on. */
  readonly end: 'completed' | 'stopped' | undefined;
}

/** What a module keeps in a player's home in the course of its log. */
interface Lives {
  /** Of all things, in the order in which they began. */
  readonly spans: readonly Span[];
  /** Every thing that the log knows. */
  readonly known: ReadonlySet<string>;
  readonly home: Home;
}

interface OpenSpan {
  readonly thing: string;
  readonly runs: Set<string>;
  readonly steps: OpsStep[];
  end: Span['end'];
}

/**
 * Folds a log, and asks after each event when the things that it touched are due: what the rules did, not what they
 * would say today. No module writes anything for it.
 */
const livesOf = (modules: Modules, module: LoadedModule, playerId: string, log: WholeLog): Lives => {
  let home = log.checkpoint ?? newHome(playerId);
  const spans: OpenSpan[] = [];
  const open = new Map<string, OpenSpan>();
  const known = new Set<string>();
  const begin = (thing: string, step: OpsStep, run: string): void => {
    const span: OpenSpan = { thing, runs: new Set([run]), steps: [step], end: undefined };
    spans.push(span);
    open.set(thing, span);
  };
  const finish = (span: OpenSpan, step: OpsStep, end: Span['end']): void => {
    span.steps.push(step);
    span.end = end;
    open.delete(span.thing);
  };
  for (const [id, thing] of Object.entries(thingsOf(home, module.name))) {
    known.add(id);
    const moment = momentOf(module, playerId, { id, thing });
    if (!moment.rests) begin(id, keptStep(home, moment, thing), moment.run);
  }
  for (const logged of log.events) {
    const { event } = logged;
    const before = home;
    home = evolve(modules, home, event);
    for (const id of touchedBy(event, module, before)) {
      known.add(id);
      const was = momentOf(module, playerId, { id, thing: thingOf(before, module.name, id) });
      const is = momentOf(module, playerId, { id, thing: thingOf(home, module.name, id) });
      const step = stepOf(logged, module, was, is);
      const span = open.get(id);
      const isDue = was.dueAtMs !== undefined && was.dueAtMs <= event.at;
      if (span && (isDue || is.rests || (was.dueAtMs !== undefined && is.dueAtMs === undefined))) {
        finish(span, step, isDue ? 'completed' : 'stopped');
        if (!is.rests) begin(id, { ...step, dueBeforeMs: undefined, effectMs: 0, workBefore: undefined }, is.run);
      } else if (span) {
        span.steps.push(step);
        if (is.dueAtMs !== undefined) span.runs.add(is.run);
      } else if (!is.rests) begin(id, step, is.run);
    }
  }
  return { spans, known, home };
};

const thingOf = (home: Home, module: string, id: string): Thing | undefined => {
  const things = thingsOf(home, module);
  return Object.hasOwn(things, id) ? things[id] : undefined;
};

/** A thing at a moment of the log. */
interface Moment {
  readonly thing: Thing | undefined;
  readonly dueAtMs: number | undefined;
  readonly run: string;
  /** Neither due nor waiting. */
  readonly rests: boolean;
}

const momentOf = (
  module: LoadedModule,
  playerId: string,
  { id, thing }: { readonly id: string; readonly thing: Thing | undefined },
): Moment => {
  if (!thing) return { thing, dueAtMs: undefined, run: id, rests: true };
  const dueAtMs = thingDueAt(module, id, thing);
  const rests = dueAtMs === undefined && waitingTimeOf(module, id, thing) === undefined;
  return { thing, dueAtMs, run: runOf(module, playerId, { id, thing }), rests };
};

/** Which things of the module the event is about. A merge takes all away. */
const touchedBy = (event: HomeEvent, module: LoadedModule, before: Home): readonly string[] => {
  if (event.type === 'home-merged') return Object.keys(thingsOf(before, module.name));
  if (event.type === 'thing-arrived') return event.module === module.name ? [String(event.thing)] : [];
  const isOwn =
    event.type.startsWith(module.eventPrefix) && module.events.has(event.type.slice(module.eventPrefix.length));
  return isOwn ? [String(event[module.thingField])] : [];
};

const stepOf = ({ event, readAtMs }: LoggedEvent, module: LoadedModule, was: Moment, is: Moment): OpsStep => ({
  seq: event.seq,
  at: event.at,
  readAtMs,
  type: event.type,
  dueBeforeMs: was.dueAtMs,
  dueAfterMs: is.dueAtMs,
  effectMs: was.dueAtMs === undefined || is.dueAtMs === undefined ? 0 : is.dueAtMs - was.dueAtMs,
  workBefore: workAt(workIn(was.thing, was.dueAtMs), event.at),
  workAfter: workIn(is.thing, is.dueAtMs),
  facts: omit(event, 'v', 'seq', 'at', 'type', 'commandId', module.thingField),
});

const keptStep = ({ seq, lastAtMs }: Home, { dueAtMs, thing }: Moment, facts: Thing): OpsStep => ({
  seq,
  at: lastAtMs,
  readAtMs: undefined,
  type: 'kept',
  dueBeforeMs: undefined,
  dueAfterMs: dueAtMs,
  effectMs: 0,
  workBefore: undefined,
  workAfter: workIn(thing, dueAtMs),
  facts: { ...facts },
});
