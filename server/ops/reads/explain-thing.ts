import type { HomeEvent } from '../../../shared/event.ts';
import { type Home, type MadeMaps, newHome, type Thing, thingsOf } from '../../../shared/home.ts';
import { omit } from '../../../shared/omit.ts';
import type { OpsExplanation, OpsStep } from '../../../shared/ops/ops-explanation.ts';
import { runNamed, runOf, thingDueAt, waitingTimeOf } from '../../domain/due-of.ts';
import { evolve } from '../../domain/evolve.ts';
import type { LoadedModule, Modules } from '../../domain/modules.ts';
import { workAt, workIn } from './work-in.ts';

/** An event of the log with its clock reading. */
export interface LoggedEvent {
  readonly event: HomeEvent;
  /** The clock reading of its batch; undefined: less than a second from the event's own time. */
  readonly readAtMs: number | undefined;
}

/** A player's remaining log: the checkpoint of older events, and all later events. */
export interface WholeLog {
  readonly checkpoint: Home | undefined;
  readonly events: readonly LoggedEvent[];
}

/** A question about a thing in its present state, or about a run, also an ended one, in each of the modules. */
export interface Explained {
  readonly playerId: string;
  readonly among: readonly LoadedModule[];
  readonly thing?: string | undefined;
  readonly run?: string | undefined;
}

export interface Folding {
  readonly modules: Modules;
  /** Lets the process do other work. */
  readonly yieldToEventLoop: () => Promise<void>;
}

type Ledger = Omit<OpsExplanation, 'timerDueAtMs' | 'isConsistent' | 'nowMs'>;

/**
 * Explains a thing's due time: each entry of the log that concerned it since its last rest, and its effect on the due
 * time, with the numbers. For each module whose part of the log has such a thing or run.
 */
export const explainThings = async (on: Folding, wanted: Explained, log: WholeLog): Promise<readonly Ledger[]> => {
  const { lives, home } = await livesOf(on, wanted, log);
  return lives.flatMap((own) => ledgerOf(own, home, wanted) ?? []);
};

const ledgerOf = ({ module, spans, known }: Lives, home: Home, wanted: Explained): Ledger | undefined => {
  const { playerId } = wanted;
  const span = spans.findLast((one) => isWanted(one, module, wanted));
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

/** Operators see a run with the player's name before it; the event has only the run. */
const isWanted = ({ thing, runs }: Span, module: LoadedModule, { playerId, ...wanted }: Explained): boolean =>
  (wanted.thing === undefined || thing === wanted.thing) &&
  (wanted.run === undefined || runs.has(wanted.run) || runs.has(runNamed(module, playerId, wanted.run)));

/** A thing's history between two rests or due times. */
interface Span {
  readonly thing: string;
  /** Its runs whenever it had a due time. */
  readonly runs: ReadonlySet<string>;
  readonly steps: readonly OpsStep[];
  /** Undefined: it is not over. */
  readonly end: 'completed' | 'stopped' | undefined;
}

/** A module's part of a player's log. */
interface Lives {
  readonly module: LoadedModule;
  /** Spans of all things, in the order of their begins. */
  readonly spans: readonly Span[];
  /** All things in the log. */
  readonly known: ReadonlySet<string>;
  /** Adds what the event did to a thing. */
  readonly add: (logged: LoggedEvent, change: Change) => void;
}

interface Change {
  readonly id: string;
  readonly before: Thing | undefined;
  readonly after: Thing | undefined;
}

interface OpenSpan {
  readonly thing: string;
  readonly runs: Set<string>;
  readonly steps: OpsStep[];
  end: Span['end'];
}

/** Some milliseconds of work. */
const EVENTS_WITHOUT_YIELD = 500;

/**
 * Folds a log once for all modules, and after each event asks when the touched things are due. So it shows what the
 * rules did, not what they would say today. Modules write nothing extra for it.
 */
const livesOf = async (
  { modules, yieldToEventLoop }: Folding,
  { playerId, among }: Explained,
  { checkpoint, events }: WholeLog,
): Promise<{ readonly lives: readonly Lives[]; readonly home: Home }> => {
  const made: MadeMaps = new WeakSet();
  const begin = checkpoint ?? newHome(playerId);
  const lives = among.map((module) => livesFrom(begin, module, playerId));
  let home = begin;
  for (const [place, logged] of events.entries()) {
    if (place > 0 && place % EVENTS_WITHOUT_YIELD === 0) await yieldToEventLoop();
    const { event } = logged;
    // The fold changes its maps of things in place, so things are taken out of them before.
    const touched: (Omit<Change, 'after'> & { readonly own: Lives })[] = [];
    for (const own of lives) {
      for (const id of touchedBy(event, own.module, home)) {
        touched.push({ own, id, before: thingOf(home, own.module.name, id) });
      }
    }
    home = evolve(modules, home, event, made);
    for (const { own, ...change } of touched) {
      const after = thingOf(home, own.module.name, change.id);
      // A merge removes all things but those that it leaves.
      if (event.type !== 'home-merged' || !after) own.add(logged, { ...change, after });
    }
  }
  return { lives, home };
};

const livesFrom = (home: Home, module: LoadedModule, playerId: string): Lives => {
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
  const add = (logged: LoggedEvent, { id, before, after }: Change): void => {
    known.add(id);
    const was = momentOf(module, playerId, { id, thing: before });
    const is = momentOf(module, playerId, { id, thing: after });
    const step = stepOf(logged, module, was, is);
    const span = open.get(id);
    const isDue = was.dueAtMs !== undefined && was.dueAtMs <= logged.event.at;
    if (span && (isDue || is.rests || (was.dueAtMs !== undefined && is.dueAtMs === undefined))) {
      finish(span, step, isDue ? 'completed' : 'stopped');
      if (!is.rests) begin(id, { ...step, dueBeforeMs: undefined, effectMs: 0, workBefore: undefined }, is.run);
    } else if (span) {
      span.steps.push(step);
      if (is.dueAtMs !== undefined) span.runs.add(is.run);
    } else if (!is.rests) begin(id, step, is.run);
  };
  return { module, spans, known, add };
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

/** The module's things that the event may concern. */
const touchedBy = (event: HomeEvent, module: LoadedModule, home: Home): readonly string[] => {
  if (event.type === 'home-merged') return Object.keys(thingsOf(home, module.name));
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
