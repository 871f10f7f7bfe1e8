import type { HomeEvent } from '../../../shared/event.ts';
import { isA } from '../../../shared/game-code.ts';
import { type Home, thingsOf } from '../../../shared/home.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import { type Command, type QuotedEvent, type QuoteReply, type Rejection, reject } from '../../../shared/protocol.ts';
import { ok, type Result, refused } from '../../../shared/result.ts';
import type { Seed } from '../../domain/chance.ts';
import { judgeSettled, replyOf } from '../../domain/decide.ts';
import { thingDueAt, waitingTimeOf } from '../../domain/due-of.ts';
import { evolve, ownEvent } from '../../domain/evolve.ts';
import { faultRejection, ModuleFault } from '../../domain/module-fault.ts';
import type { LoadedModule, Modules } from '../../domain/modules.ts';
import { shownHome } from '../../domain/open-home.ts';
import { settleSome } from '../../domain/settle.ts';
import { type HomeMeasure, timingRules } from '../model/home-measurement.ts';
import { type HomeStore, type SaveDecision, seedOf } from '../model/home-store.ts';
import type { RulesInForce } from '../model/rules-in-force.ts';
import { rulesOf } from './under-rules.ts';

interface Quoting {
  readonly rules: RulesInForce;
  readonly store: Pick<HomeStore, 'change'>;
  /** Settles and saves the home. */
  readonly look: () => Promise<unknown>;
  /** If more than this is due, the home is settled and saved first. */
  readonly maxEvents: number;
  readonly measure: HomeMeasure | undefined;
}

type Quoted = Result<QuoteReply, Rejection>;

interface Tried {
  readonly quoted?: Quoted | undefined;
  /** The number of the rules, if this process has not read them yet. */
  readonly unknown?: number | undefined;
}

const MOST_LOOKS = 3;

/** Returns what the command would do now. Saves none of it. */
export const quoteHome = async (quoting: Quoting, playerId: string, command: Command): Promise<Quoted> => {
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const quoted = await quoteNow(quoting, playerId, command);
    if (quoted) return quoted;
    await quoting.look();
  }
  return refused(reject('server/unavailable'));
};

/** Undefined if too much is due first, another transaction was making the home, or the rules in force are not known yet. */
const quoteNow = async (
  { rules, store, maxEvents, measure }: Quoting,
  playerId: string,
  command: Command,
): Promise<Quoted | undefined> => {
  // Locks like a command, so that it reads one state; then saves nothing.
  const request = { playerIds: [playerId], commands: [], waits: true };
  const { value } = await store.change(request, (loaded): SaveDecision<Tried> => {
    const { homes, nowMs } = loaded;
    const home = homes.get(playerId);
    const modules = rulesOf(rules, loaded);
    if (!modules) return { changes: [], value: { unknown: loaded.rules }, isTrial: true };
    if (!home) return unchanged(undefined);
    const timer = timingRules(modules, measure);
    const seed = seedOf(loaded, playerId);
    const quoted = quoteOn({ modules, home, command, nowMs: Math.max(nowMs, home.lastAtMs), maxEvents, seed });
    timer.ran({ playerId, command });
    return unchanged(quoted);
  });
  if (value.unknown !== undefined) await rules.load(value.unknown);
  return value.quoted;
};

const unchanged = (quoted: Quoted | undefined) => ({ changes: [], value: { quoted }, isTrial: true });

const quoteOn = (input: {
  readonly modules: Modules;
  readonly home: Home;
  readonly command: Command;
  readonly nowMs: number;
  readonly maxEvents: number;
  readonly seed: Seed;
}): Quoted | undefined => {
  const { modules, home, command, nowMs } = input;
  try {
    // Due events use the real seed, because they will happen. The command's own draws must stay unknown.
    const now = settleSome(modules, home, input);
    if (!now.isSettled) return undefined;
    const shown = settleSome(modules, shownHome(modules, now.home, input), input).home;
    let draws = 0;
    const drew = () => {
      draws += 1;
    };
    const seed: Seed = { ...input.seed, label: 'quote', drew };
    const asked = { modules, home: shown, command, commandId: '', nowMs, seed };
    const { decision, home: after } = judgeSettled(asked);
    if (!decision.ok) return refused(decision.error);
    const { events, ...reply } = replyOf(modules, decision.value);
    const doneAt = unlessFault(() => doneAtOf(asked, after, decision.value));
    return ok({
      ...reply,
      ...(doneAt !== undefined && { doneAt }),
      ...(draws > 0 && { chance: true }),
      seq: home.seq,
      events: events.map(({ seq: _, commandId: __, ...event }) => event as QuotedEvent),
    });
  } catch (error) {
    if (isA(error, ModuleFault)) return refused(faultRejection(error));
    throw error;
  }
};

/** Undefined if a rule fails. */
const unlessFault = <Value>(look: () => Value): Value | undefined => {
  try {
    return look();
  } catch (error) {
    if (isA(error, ModuleFault)) return undefined;
    throw error;
  }
};

/** Looks at most so many events ahead, in such steps: a few ten milliseconds for a home of fifty things. */
const MOST_AHEAD = 500;
const AT_ONCE = 50;

/**
 * The instant when the things of a command have nothing more to do without another command: settled ahead from the home
 * `after` its `events`, which is at rest. Undefined if the module does not name the things, if they wait for something
 * that does not come by itself, or if it is too far ahead. Throws the `ModuleFault` of a rule that fails before.
 */
export const doneAtOf = (
  { modules, seed }: { readonly modules: Modules; readonly seed?: Seed },
  after: Home,
  events: readonly HomeEvent[],
): number | undefined => {
  const module = events[0] && modules.ofEvent(events[0].type)?.module;
  const wanted = module && wantedOf(modules, module, events);
  if (!wanted || wanted.length === 0) return undefined;
  const isDone = (): boolean => wanted.every((id) => isResting(module, home, id));
  let home = after;
  if (isDone()) return home.lastAtMs;
  for (let count = 0; count < MOST_AHEAD; ) {
    const { events: next } = settleSome(modules, home, { nowMs: LATEST_MS, maxEvents: AT_ONCE, seed });
    if (next.length === 0) return undefined;
    for (const event of next) {
      home = evolve(modules, home, event);
      if (isDone()) return event.at;
    }
    count += next.length;
  }
  return undefined;
};

const wantedOf = (
  modules: Modules,
  module: LoadedModule,
  events: readonly HomeEvent[],
): readonly string[] | undefined => {
  const own = events.flatMap((event) => {
    const found = modules.ofEvent(event.type);
    return found?.module === module ? [ownEvent(found, event)] : [];
  });
  return module.rules.doneOf?.(own);
};

const isResting = (module: LoadedModule, home: Home, id: string): boolean => {
  const thing = thingsOf(home, module.name)[id];
  return !thing || (thingDueAt(module, id, thing) === undefined && waitingTimeOf(module, id, thing) === undefined);
};
