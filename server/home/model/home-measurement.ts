import type { HomeEvent } from '../../../shared/event.ts';
import type { Command, RejectionCode } from '../../../shared/protocol.ts';
import { ownEvent } from '../../domain/evolve.ts';
import { ModuleFault } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import type { OperatorCommand } from '../../domain/scene.ts';
import type { Clock } from '../../runtime/clock.ts';

/** Measurements of the homes for metrics. They name no player. Durations in milliseconds, not whole. */
export type HomeMeasurement =
  /** A command got its outcome; `unknown`: the outcome of a commit was lost. */
  | {
      readonly type: 'answered';
      readonly command: string;
      readonly code: 'ok' | 'unknown' | RejectionCode;
      readonly tookMs: number;
    }
  /** A transaction of the write path ended. */
  | { readonly type: 'batch'; readonly homes: number; readonly isCommitted: boolean; readonly tookMs: number }
  /** A commit reached the followers of its player; counted from the commit, perhaps in another process. */
  | { readonly type: 'pushed'; readonly tookMs: number };

/** Rules of one home used the processor for longer than `SLOW_RULES_MS` in one go. */
export interface SlowRules {
  readonly playerId: string;
  /** The module of the command, else those of the things that settling changed; all modules if that is unknown. */
  readonly modules: readonly string[];
  /** The only thing that settling changed, or the thing of the failed rule. */
  readonly thing: string | undefined;
  /** Undefined: it was settling without a command. */
  readonly command: string | undefined;
  /** Milliseconds, not whole. */
  readonly tookMs: number;
}

/** The tools for measuring homes. */
export interface HomeMeasure {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs' | 'cpuMs'>;
  readonly observe: (measurement: HomeMeasurement) => void;
  /** Called while the transaction is still open. Its commit may fail because the rules took so long. */
  readonly slow: (slow: SlowRules) => void;
}

/** A batch of so many homes begins. Call the returned function when it has ended; only the first call counts. */
export const measuringBatch = (measure: HomeMeasure | undefined, homes: number): ((isCommitted: boolean) => void) => {
  if (!measure) return () => undefined;
  const startedAtMs = measure.clock.monotonicMs();
  let isMeasured = false;
  return (isCommitted) => {
    const tookMs = measure.clock.monotonicMs() - startedAtMs;
    if (!isMeasured) measure.observe({ type: 'batch', homes, isCommitted, tookMs });
    isMeasured = true;
  };
};

/**
 * 200 ms: noticeable for players, and a tenth of Postgres' `idle_in_transaction_session_timeout`. The log names rules
 * that run longer in one go: Node cannot interrupt them, and the process does nothing else meanwhile.
 */
export const SLOW_RULES_MS = 200;
/**
 * The longest time that the rules of a batch may run. At two seconds (`limits.transaction`) Postgres ends the idle
 * transaction, and then no command of the batch has an outcome.
 */
export const MOST_RULES_MS = 1_500;

/** The reason why a batch is not saved. `playerId`: the player with most of the time, if there is one. */
export class RulesTookTooLong extends Error {
  readonly playerId: string | undefined;

  constructor(tookMs: number, playerId: string | undefined) {
    super(`rules ran for ${Math.round(tookMs)} ms, too long for a transaction`);
    this.name = 'RulesTookTooLong';
    this.playerId = playerId;
  }
}

/** Rules that ran in one go: a command, or without one a settling, if it did not fail. */
export interface Stretch {
  readonly playerId: string;
  readonly command?: Command | OperatorCommand;
  readonly events?: readonly HomeEvent[];
  readonly fault?: ModuleFault | undefined;
}

/** Times rules: each stretch begins at the end of the previous one, so it costs one clock read. */
export interface RuleTimer {
  /** The stretch of rules ended now. */
  ran(stretch: Stretch): void;
  /** The fault of the longest stretch, if all together ran for longer than `mostMs`. */
  faultOver(mostMs: number): ModuleFault | undefined;
}

const NO_TIMER: RuleTimer = { ran: () => undefined, faultOver: () => undefined };

/** Starts timing at once. */
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
      // Rules are not slow if the process waited for the processor. The check covers the whole batch, since it costs a
      // system call.
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

/** For a gift or removal by the engine: all modules, since any chain may go on. */
const modulesOf = (modules: Modules, command: Command | OperatorCommand): readonly string[] => {
  const own = modules.ofCommand(command.type)?.module.name ?? ('module' in command ? command.module : undefined);
  return typeof own === 'string' ? [own] : allOf(modules);
};

const allOf = (modules: Modules): readonly string[] => modules.all.map(({ name }) => name);
