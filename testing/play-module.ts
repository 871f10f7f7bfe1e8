import type fc from 'fast-check';
import type { Seed } from '../server/domain/chance.ts';
import { judge, replyOf } from '../server/domain/decide.ts';
import { fold, ownEvent } from '../server/domain/evolve.ts';
import type { LoadedModule, Modules } from '../server/domain/modules.ts';
import { openHome } from '../server/domain/open-home.ts';
import { readCommand } from '../server/domain/read-command.ts';
import { settleSome } from '../server/domain/settle.ts';
import { bitsBy } from '../server/home/model/draw-bits.ts';
import type { HomeEvent } from '../shared/event.ts';
import { callGameNow, GameFault, handleRejections } from '../shared/game-code.ts';
import { type Home, newHome, thingsOf, withCounters } from '../shared/home.ts';
import type { Items } from '../shared/items.ts';
import { jsonFlaw } from '../shared/json-flaw.ts';
import type { AnyModule } from '../shared/module/module.ts';
import { readBySchema } from '../shared/module/read-by-schema.ts';
import type { Rejection, Reply } from '../shared/protocol.ts';
import { frozen, hold, stored } from './claims.ts';

/** The input of a module's trial. */
export interface ModuleTrial {
  /** Commands as players and the game's server send them: `{ type: 'upgrade', payload: { site: 'hall' } }`. */
  readonly commands: fc.Arbitrary<{ readonly type: string; readonly payload: object }>;
  /** The player's items at the start, so that commands can be paid. */
  readonly items?: Items;
  /** Items that other modules or the game declare; `any` with an inventory of your own. Default: none. */
  readonly otherItems?: readonly string[] | 'any';
  /** The same module with other rules: settling must not depend on the rules in force. */
  readonly other?: AnyModule;
  /** A condition that always holds, for example "no more than two builders work". */
  readonly invariant?: (things: Readonly<Record<string, object>>, items: Items) => boolean;
  /** When each history begins, epoch milliseconds. Default: 15 January 2027, 08:00 UTC. */
  readonly startAtMs?: number;
  /** The approximate time of the shortest work. Default: an hour. */
  readonly unitMs?: number;
  /** Commands that these rules may always refuse, or that are not tried. Any other command that is never accepted is a fault of the trial. */
  readonly mayRefuse?: readonly string[];
  /**
   * Whether the game's own rows or inventory may refuse a command: then it must not draw, or a refused player would
   * learn the draw and try again. Default: whether the module has `inTransaction`.
   */
  readonly hostRefuses?: boolean;
}

export interface Step {
  readonly afterMs: number;
  readonly command: { readonly type: string; readonly payload: object };
}

/** The trial, and the outcomes of its commands in all histories: by type `undefined` once accepted, else the last refusal. */
export interface Trying extends ModuleTrial {
  readonly outcomes: Map<string, Rejection | undefined>;
}

/** A home's history: all its events, and the home at the end. */
interface Told {
  readonly log: readonly HomeEvent[];
  /** To the accepted commands. */
  readonly replies: readonly Reply[];
  /** All that `doneOf`, `title` and `run` said. */
  readonly answers: readonly object[];
  readonly home: Home;
}

const seedOf = (secret: string): Seed => ({ bits: bitsBy(secret), epoch: 'of a trial', life: 0 });
/** The number of other worlds with other draws: a command has the same outcome in all of them. */
const OTHER_WORLDS = 8;

export const START_AT_MS = 1_800_000_000_000;
export const HOUR_MS = 3_600_000;
export interface Look {
  readonly atMs: number;
  readonly maxEvents: number;
}

/** Of one step of a history, at least. */
const MOST_EVENTS = 100_000;
/** Whose code makes the commands. */
export const COMMANDS = 'commands of the trial';

export interface Playing {
  readonly steps: readonly Step[];
  /** Decides all draws: plays that a law compares have the same number. */
  readonly draws: number;
  readonly looks?: readonly Look[];
  /** The rules for settling without a command. */
  readonly settling?: Modules;
}

export const play = (modules: Modules, trial: Trying, playing: Playing): Told => {
  const { steps, draws, looks = [], settling = modules } = playing;
  const seed = seedOf(`of trial ${draws}`);
  const log: HomeEvent[] = [];
  const replies: Reply[] = [];
  const answers: object[] = [];
  let home = newHome('anna');
  const add = (events: readonly HomeEvent[], by: Modules): void => {
    for (const [at, event] of events.entries()) {
      home = frozen(fold(by, home, [event]));
      answers.push(holdEvent(by, { home, event }));
      log.push(event);
      // What one command or one end does happens at once.
      if (events[at + 1]?.at !== event.at) holdInvariant(by, trial, { home, event });
    }
  };
  const { startAtMs = START_AT_MS } = trial;
  add(openHome(modules, home, { nowMs: startAtMs, seed }), modules);
  add([given(home, startAtMs, trial.items ?? {})], modules);
  const waiting = [...looks].sort((one, next) => one.atMs - next.atMs);
  const lookUntil = (untilMs: number): void => {
    home = loaded(home);
    for (let look = waiting[0]; look && startAtMs + look.atMs <= untilMs; look = waiting[0]) {
      waiting.shift();
      add(settleSome(settling, home, { ...look, nowMs: startAtMs + look.atMs, seed }).events, settling);
      home = loaded(home);
    }
    const { events, isSettled } = settleSome(settling, home, { nowMs: untilMs, maxEvents: MOST_EVENTS, seed });
    hold(
      isSettled,
      `${MOST_EVENTS} events happen in ${untilMs - home.lastAtMs} ms: give the time of the shortest work as unitMs`,
    );
    add(events, settling);
  };
  let nowMs = startAtMs;
  // As a server does after a grant: a thing that waits for these items goes on at once.
  lookUntil(nowMs);
  for (const [at, { afterMs, command }] of steps.entries()) {
    nowMs += afterMs;
    lookUntil(nowMs);
    const decision = decided(modules, trial, { home, command, commandId: `command-${at}`, nowMs, draws });
    if (decision.ok) replies.push(replyOf(modules, decision.value));
    if (decision.ok) answers.push({ doneOf: doneOf(modules, decision.value) });
    if (decision.ok) add(decision.value, modules);
    if (decision.ok) trial.outcomes.set(command.type, undefined);
    else if (trial.outcomes.get(command.type) || !trial.outcomes.has(command.type)) {
      trial.outcomes.set(command.type, decision.error);
    }
  }
  lookUntil(nowMs + REST_UNITS * (trial.unitMs ?? HOUR_MS));
  return { log, replies, answers, home };
};

/** What a quote of the command asks. */
const doneOf = (modules: Modules, events: readonly HomeEvent[]): readonly string[] | undefined => {
  const own = events.flatMap((event) => {
    const found = modules.ofEvent(event.type);
    return found ? [ownEvent(found, event)] : [];
  });
  return modules.all[0]?.rules.doneOf?.(own);
};

/** The home as the next look loads it: things in the order of their making, each as it is stored. */
const loaded = (home: Home): Home => {
  const things = Object.entries(home.things).map(([module, own]) => {
    const states = Object.entries(own).map(([id, thing]) => [id, stored(thing)] as const);
    return [module, Object.assign(Object.create(null), Object.fromEntries(states))] as const;
  });
  const counters = Object.entries(home.counters).reduce<Home['counters']>(
    (all, [module, own]) => withCounters(all, module, stored(own)),
    {},
  );
  return frozen({ ...home, items: stored(home.items), counters, things: Object.fromEntries(things) });
};

interface Asking extends Pick<Playing, 'draws'>, Pick<Step, 'command'> {
  readonly home: Home;
  readonly commandId: string;
  readonly nowMs: number;
}

/** Decides a message as the server does: reads it strictly first. Throws the errors of rules. */
const decided = (modules: Modules, trial: Trying, { command: { type, payload }, draws, ...asked }: Asking) => {
  const fields = callGameNow(COMMANDS, () => ({ ...payload, commandId: asked.commandId }));
  const read = readCommand(modules, `${modules.all[0]?.messagePrefix}:${type}`, fields);
  if (!read.ok && read.fault) throw read.fault;
  if (!read.ok) return read;
  const decide = (seed: Seed) => {
    const { decision } = judge({ ...asked, modules, command: read.value.command, seed });
    if (!decision.ok && decision.fault) throw decision.fault;
    return decision;
  };
  let drawn: string | undefined;
  const drew: Seed['drew'] = ({ rule }) => {
    if (!drawn?.startsWith('decide.')) drawn = rule;
  };
  const decision = decide({ ...seedOf(`of trial ${draws}`), drew });
  for (let world = 1; drawn !== undefined && world <= OTHER_WORLDS; world += 1) {
    const { ok } = decide(seedOf(`of world ${world} of trial ${draws}`));
    hold(ok === decision.ok, `whether “${type}” is accepted depends on a draw`);
  }
  const { hostRefuses = modules.all[0]?.rules.inTransaction !== undefined } = trial;
  const isOfCommand = drawn?.startsWith('decide.') === true;
  hold(!(hostRefuses && isOfCommand), `${drawn} draws what the game may refuse (hostRefuses): draw in complete`);
  return decision;
};

/** Long enough for all work that a short history leaves running. */
const REST_UNITS = 100;

const given = (home: Home, at: number, items: Items): HomeEvent => ({
  v: 1,
  seq: home.seq + 1,
  at,
  type: 'items-granted',
  items,
  reason: 'trial',
});

interface Happened {
  readonly home: Home;
  readonly event: HomeEvent;
}

/** Returns the answers of the rules that are asked when the thing is saved or explained. */
const holdEvent = (modules: Modules, { home: after, event }: Happened): object => {
  for (const [item, count] of Object.entries(after.items)) hold(count >= 0, `${event.type} leaves ${count} ${item}`);
  const [module] = modules.all;
  const thing = module && 'thing' in event ? thingsOf(after, module.name)[`${event.thing}`] : undefined;
  const faults = module && thing && readThingFaults(module, thing);
  hold(!faults, `${event.type} of ${module?.name} ${thing && 'thing' in event ? event.thing : ''} ${faults}`);
  if (!module || !thing || !('thing' in event)) return {};
  const { title, run } = module.rules;
  return { title: title?.(thing, `${event.thing}`), run: run?.(thing, `${event.thing}`) };
};

const holdInvariant = (modules: Modules, { invariant }: ModuleTrial, { home: after, event }: Happened): void => {
  const [module] = modules.all;
  const whose = 'invariant of the trial';
  const isSo: unknown =
    !module || !invariant || callGameNow(whose, () => invariant(thingsOf(after, module.name), after.items));
  if (typeof isSo !== 'boolean') {
    handleRejections(isSo);
    throw new GameFault(whose, new TypeError('what it returns is neither true nor false'));
  }
  hold(
    isSo,
    `the invariant does not hold after ${event.type}: if it counts slots, count again in goOn what decide counted`,
  );
};

/** The fault of a stored thing; undefined: none. */
const readThingFaults = (module: LoadedModule, thing: object): string | undefined => {
  const flaw = jsonFlaw(thing);
  if (flaw) return `is another one after JSON: ${flaw.path} ${flaw.message}: keep numbers and text, no Date`;
  const kept: unknown = JSON.parse(JSON.stringify(thing));
  const read = callGameNow(`thing of the module ${module.name}`, () => readBySchema(module.thing, kept));
  if (read.success) return undefined;
  const [issue] = read.error.issues;
  return `is not as its schema says (${issue?.path.join('.')}: ${issue?.message}): evolve forgets or misspells a field`;
};
