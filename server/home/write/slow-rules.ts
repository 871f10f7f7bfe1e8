// Rules that run for long are named: Node cannot interrupt them, and meanwhile the process does nothing else.

import type { HomeEvent } from '../../../shared/event.ts';
import type { Command } from '../../../shared/protocol.ts';
import { ownEvent } from '../../domain/evolve.ts';
import { ModuleFault } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import type { OperatorCommand } from '../../domain/scene.ts';
import type { HomeMeasure, SlowRules } from '../model/home-measurement.ts';

/**
 * Longest time that rules of one home may run in one go before that is told: players begin to feel it, and it is a
 * tenth of what Postgres lets a transaction be idle for before it ends it.
 */
export const SLOW_RULES_MS = 200;
/**
 * Longest time that the rules of a batch may run. At two seconds (`limits.transaction`) Postgres ends the idle transaction,
 * and then nobody in the batch would know an outcome.
 */
export const MOST_RULES_MS = 1_500;

/** Why a batch is not saved; `playerId`: whose rules took most of the time, if anyone's did. */
export class RulesTookTooLong extends Error {
  readonly playerId: string | undefined;

  constructor(tookMs: number, playerId: string | undefined) {
    super(`rules ran for ${Math.round(tookMs)} ms, too long for a transaction`);
    this.name = 'RulesTookTooLong';
    this.playerId = playerId;
  }
}

/** What ran in one go: a command, or without one what settling brought, if it did not fail. */
export interface Stretch {
  readonly playerId: string;
  readonly command?: Command | OperatorCommand;
  readonly events?: readonly HomeEvent[];
  readonly fault?: ModuleFault | undefined;
}

/** Times rules: each stretch from the end of the one before it, so that it costs one look at the clock. */
export interface RuleTimer {
  /** Rules ran until now. */
  ran(stretch: Stretch): void;
  /** Of the rules that ran longest, where all together ran for longer than `mostMs`. */
  faultOver(mostMs: number): ModuleFault | undefined;
}

const NO_TIMER: RuleTimer = { ran: () => undefined, faultOver: () => undefined };

/** Begins at once. */
export const timingRules = (modules: Modules, measure: HomeMeasure | undefined): RuleTimer => {
  if (!measure) return NO_TIMER;
  const startedAtMs = measure.clock.monotonicMs();
  const startedCpuMs = measure.clock.cpuMs();
  let sinceMs = startedAtMs;
  let longest: { readonly stretch: Stretch; readonly tookMs: number } | undefined;
  return {
    ran: (stretch) => {
      const nowMs = measure.clock.monotonicMs();
      const tookMs = nowMs - sinceMs;
      sinceMs = nowMs;
      if (!longest || tookMs > longest.tookMs) longest = { stretch, tookMs };
      // A process that waited for the processor says nothing of rules. Asked of the whole batch, since asking costs a call
      // of the system.
      if (tookMs <= SLOW_RULES_MS || measure.clock.cpuMs() - startedCpuMs <= SLOW_RULES_MS) return;
      measure.slow({ ...namesOf(modules, stretch), playerId: stretch.playerId, tookMs });
    },
    faultOver: (mostMs) => {
      const tookMs = sinceMs - startedAtMs;
      if (!longest || tookMs <= mostMs) return undefined;
      const { stretch } = longest;
      const names = namesOf(modules, stretch);
      const isMost = longest.tookMs > tookMs / 2;
      const cause = new RulesTookTooLong(tookMs, isMost ? stretch.playerId : undefined);
      const rule = stretch.command ? 'decide' : 'settle';
      return new ModuleFault({ module: names.modules[0] ?? '', thing: names.thing, rule }, cause);
    },
  };
};

type Names = Pick<SlowRules, 'modules' | 'thing' | 'command'>;

const namesOf = (modules: Modules, { command, events = [], fault }: Stretch): Names => {
  if (command) {
    return { modules: modulesOf(modules, command), thing: undefined, command: command.type };
  }
  if (fault) return { modules: [fault.module], thing: fault.thing, command: undefined };
  const things = events.flatMap((event) => {
    const found = modules.ofEvent(event.type);
    return found ? [{ module: found.module.name, thing: ownEvent(found, event).thing }] : [];
  });
  const names = [...new Set(things.map(({ module }) => module))];
  const [first] = things;
  const isOne = things.every(({ module, thing }) => module === first?.module && thing === first.thing);
  return {
    modules: names.length > 0 ? names : allOf(modules),
    thing: isOne ? first?.thing : undefined,
    command: undefined,
  };
};

/** Of what the engine itself gives or takes: any, since chains may go on. */
const modulesOf = (modules: Modules, command: Command | OperatorCommand): readonly string[] => {
  const own = modules.ofCommand(command.type)?.module.name ?? ('module' in command ? command.module : undefined);
  return typeof own === 'string' ? [own] : allOf(modules);
};

const allOf = (modules: Modules): readonly string[] => modules.all.map(({ name }) => name);
