import fc from 'fast-check';
import { fold } from '../server/domain/evolve.ts';
import { judge } from '../server/domain/judge.ts';
import { Modules } from '../server/domain/modules.ts';
import { openHome } from '../server/domain/open-home.ts';
import { settle, settleSome } from '../server/domain/settle.ts';
import { diffTimers, timersOf } from '../server/domain/timers-of.ts';
import type { HomeEvent } from '../shared/event.ts';
import { type Home, newHome, thingsOf } from '../shared/home.ts';
import type { Items } from '../shared/items.ts';
import { LATEST_MS } from '../shared/latest-ms.ts';
import { moduleSchema } from '../shared/module/check-module.ts';
import type { AnyModule } from '../shared/module/module.ts';
import { readOptions } from '../shared/options/read-options.ts';
import { callable, fields, having, value, wholeMs } from '../shared/options/shapes.ts';
import { runOptions, type Violation } from './check-rules.ts';
import { hold, same } from './claims.ts';
import { frozen } from './frozen.ts';
import { inOtherWorld } from './other-world.ts';
import { readThingFaults } from './thing-faults.ts';

/** What a module is tried with. */
export interface ModuleTrial {
  /** Commands as players and the game's server send them: `{ type: 'upgrade', payload: { site: 'hall' } }`. */
  readonly commands: fc.Arbitrary<{ readonly type: string; readonly payload: object }>;
  /** What the player has at the start, so that commands can be paid for. */
  readonly items?: Items;
  /** The same module by other rules: settling must not care which are in force. */
  readonly other?: AnyModule;
  /** Something that is always so, like "no more than two builders work". */
  readonly invariant?: (things: Readonly<Record<string, object>>, items: Items) => boolean;
  /** About how long the shortest work takes. Default: an hour. */
  readonly unitMs?: number;
}

const trialSchema = fields<ModuleTrial>({
  commands: having<ModuleTrial['commands']>('generate'),
  items: value((given) => typeof given === 'object' && given !== null, 'give a count by item').optional(),
  other: moduleSchema.optional(),
  invariant: callable.optional(),
  unitMs: wholeMs({ min: 1, max: LATEST_MS / 1000 }).optional(),
});

export const checkModuleArguments = fields({ module: moduleSchema, trial: trialSchema, options: fields(runOptions) });

interface Step {
  readonly afterMs: number;
  readonly command: { readonly type: string; readonly payload: object };
}

/** A home's story: all its events, and the home at the end. */
interface Told {
  readonly log: readonly HomeEvent[];
  readonly home: Home;
}

const START_AT_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
/** Some days, hours and milliseconds later, so that every part of the clock is another. */
const ANOTHER_DAY_MS = 41 * HOUR_MS + 1234;

/**
 * Tries the laws that every module must keep on random histories; returns those that do not hold, each with the smallest
 * history that breaks it. A second or two with the default.
 */
export const checkModule = (
  module: AnyModule,
  trial: ModuleTrial,
  options: { readonly runs?: number } = {},
): readonly Violation[] => {
  readOptions(checkModuleArguments, { module, trial, options }, 'checkModule');
  const { runs = 100 } = options;
  const modules = new Modules([module]);
  const other = new Modules([trial.other ?? module]);
  const unitMs = trial.unitMs ?? HOUR_MS;
  const step = fc.record({ afterMs: fc.nat(3).map((units) => units * unitMs), command: trial.commands });
  const steps = fc.array(step, { maxLength: 15, size: 'max' });
  const looks = fc.array(fc.record({ atMs: fc.nat(60 * unitMs), maxEvents: fc.integer({ min: 1, max: 4 }) }), {
    maxLength: 8,
  });
  const laws: readonly (readonly [string, (steps: readonly Step[], looks: readonly Look[]) => void])[] = [
    ['rules fail in no history', (all) => void play(modules, trial, { steps: all })],
    [
      'a thing is as its schema says, and survives JSON',
      (all) => holdThings(modules, play(modules, trial, { steps: all }).home),
    ],
    ['what has settled has nothing to settle', (all) => holdRest(modules, play(modules, trial, { steps: all }).home)],
    [
      'looking at any times, in slices of any size, gives the same log',
      (all, at) => same(play(modules, trial, { steps: all, looks: at }).log, play(modules, trial, { steps: all }).log),
    ],
    [
      'settling reads no rules: others give the same log',
      (all) =>
        same(play(modules, trial, { steps: all, settling: other }).log, play(modules, trial, { steps: all }).log),
    ],
    [
      'rules read neither the clock nor chance',
      (all) => {
        const logOn = (atMs: number) => inOtherWorld(atMs, () => play(modules, trial, { steps: all }).log);
        same(logOn(START_AT_MS), logOn(START_AT_MS + ANOTHER_DAY_MS));
      },
    ],
  ];
  return laws.flatMap(([law, claim]) => {
    const details = fc.check(fc.property(steps, looks, claim), { numRuns: runs });
    if (!details.failed) return [];
    const { message } = details.errorInstance instanceof Error ? details.errorInstance : { message: '' };
    return [{ law, counterexample: `${message}\n${fc.defaultReportMessage(details)}` }];
  });
};

interface Look {
  readonly atMs: number;
  readonly maxEvents: number;
}

interface Playing {
  readonly steps: readonly Step[];
  readonly looks?: readonly Look[];
  /** Rules that are in force when nobody commands. */
  readonly settling?: Modules;
}

const play = (modules: Modules, trial: ModuleTrial, { steps, looks = [], settling = modules }: Playing): Told => {
  const log: HomeEvent[] = [];
  let home = newHome('anna');
  const add = (events: readonly HomeEvent[], by: Modules): void => {
    for (const event of events) {
      home = frozen(fold(by, home, [event]));
      holdEvent(by, trial, { home, event });
    }
    log.push(...events);
  };
  add(openHome(modules, home, { nowMs: START_AT_MS }), modules);
  add([given(home, trial.items ?? {})], modules);
  const waiting = [...looks].sort((one, next) => one.atMs - next.atMs);
  const lookUntil = (untilMs: number): void => {
    for (let look = waiting[0]; look && START_AT_MS + look.atMs <= untilMs; look = waiting[0]) {
      waiting.shift();
      add(settleSome(settling, home, { nowMs: START_AT_MS + look.atMs, maxEvents: look.maxEvents }).events, settling);
    }
    add(settle(settling, home, untilMs), settling);
  };
  let nowMs = START_AT_MS;
  for (const [at, { afterMs, command }] of steps.entries()) {
    nowMs += afterMs;
    if (afterMs > 0) lookUntil(nowMs);
    const { messagePrefix } = modules.all[0] ?? { messagePrefix: '' };
    const asked = { type: `${messagePrefix}:${command.type}`, ...command.payload };
    const before = home;
    const judged = judge({ modules, home, command: asked, commandId: `command-${at}`, nowMs });
    if (!judged.decision.ok && judged.decision.fault) throw judged.decision.fault;
    if (judged.decision.ok) add(judged.decision.value, modules);
    holdTimers(modules, before, home);
  }
  lookUntil(nowMs + REST_UNITS * (trial.unitMs ?? HOUR_MS));
  return { log, home };
};

/** Long enough for what a short history leaves going. */
const REST_UNITS = 100;

const given = (home: Home, items: Items): HomeEvent => ({
  v: 1,
  seq: home.seq + 1,
  at: START_AT_MS,
  type: 'items-granted',
  items,
  reason: 'trial',
});

const holdEvent = (
  modules: Modules,
  { invariant }: ModuleTrial,
  { home: after, event }: { readonly home: Home; readonly event: HomeEvent },
): void => {
  for (const [item, count] of Object.entries(after.items)) hold(count >= 0, `${event.type} leaves ${count} ${item}`);
  const [module] = modules.all;
  const isSo = !module || !invariant || invariant(thingsOf(after, module.name), after.items);
  hold(isSo, `the invariant does not hold after ${event.type}: count again in goOn what decide counted`);
};

const holdThings = (modules: Modules, home: Home): void => {
  for (const module of modules.all) {
    for (const [id, thing] of Object.entries(thingsOf(home, module.name))) {
      hold(readThingFaults(module, thing) === undefined, `${id} ${readThingFaults(module, thing)}`);
    }
  }
};

const holdRest = (modules: Modules, home: Home): void => same(settle(modules, home, home.lastAtMs), []);

/** The timers of before, with the difference applied, are those of after. */
const holdTimers = (modules: Modules, before: Home, after: Home): void => {
  const diff = diffTimers(modules, { before, after });
  const timers = new Map(timersOf(modules, before).map((timer) => [timer.subject, timer.dueAtMs]));
  for (const { subject } of diff.end) timers.delete(subject);
  for (const { subject, dueAtMs } of diff.put) timers.set(subject, dueAtMs);
  same(timers, new Map(timersOf(modules, after).map((timer) => [timer.subject, timer.dueAtMs])));
};
