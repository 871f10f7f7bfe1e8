import type { HomeEvent } from '../../../shared/event.ts';
import { isA } from '../../../shared/game-code.ts';
import { type Reply, reject } from '../../../shared/protocol.ts';
import { ok, refused } from '../../../shared/result.ts';
import { plainReplyOf, replyOf } from '../../domain/decide.ts';
import { faultRejection, ModuleFault } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import type { IndexChanges } from '../../timer/model/index-entry.ts';
import { type Answer, type Commit, commitOf, shownOrAsIs } from '../model/commit.ts';
import type { HomeMeasure } from '../model/home-measurement.ts';
import { type RuleTimer, timingRules } from '../model/home-measurement.ts';
import type { HomeChange, LoadedHomes } from '../model/home-store.ts';
import { commandHash, seedOf } from '../model/home-store.ts';
import type { HomeOrder, Outcome } from '../model/homes.ts';
import type { RulesInForce } from '../model/rules-in-force.ts';
import { type At, type Judged, judgeAsPossible, judgeUnsettled } from './judge-order.ts';
import { type OpenChange, openChange } from './open-change.ts';
import { type AheadSettler, settledPart, type UnsettledHome } from './settle-ahead.ts';
import { type Save, saveUnderRules } from './under-rules.ts';

/** The outcome of one home in one batch. */
export interface JudgedHome {
  readonly change: HomeChange;
  readonly commit: Commit;
  /** False: more is due than there was room for, and no order was judged. */
  readonly isSettled: boolean;
  /** In the order of the orders. */
  readonly outcomes: readonly Outcome[];
  /** A rule failed while it settled: the home stands still, and its orders are refused. */
  readonly fault: ModuleFault | undefined;
  /** Faults of rules on single orders. */
  readonly orderFaults: readonly ModuleFault[];
}

/** The orders of one player in a batch; without orders the home is only settled. */
export interface PlayerOrders {
  readonly playerId: string;
  readonly orders: readonly HomeOrder[];
  /** The game's own rows refused the settled events. */
  readonly standsStill?: ModuleFault;
  /** The part that was settled while the batch before was written. */
  readonly ahead?: AheadSettler;
}

export interface BatchResult {
  /** By player, without homes that another transaction had locked. */
  readonly judged: ReadonlyMap<string, JudgedHome>;
  readonly index: IndexChanges;
  readonly lives: ReadonlyMap<string, number>;
}

/** Approximate bounds for settling: a home that was away for years takes several batches, so no statement is long. */
export interface SettleLimits {
  readonly eventsPerHome: number;
  readonly eventsPerBatch: number;
}

export interface Batch {
  readonly rules: RulesInForce;
  readonly players: readonly PlayerOrders[];
  readonly waits: boolean;
  readonly limits: SettleLimits;
  readonly save: Save;
  readonly measure: HomeMeasure | undefined;
  /** The most time for the rules of all homes: beyond it nothing is saved. Missing: no bound. */
  readonly mostRulesMs?: number | undefined;
}

/** Runs the orders of many players in one transaction. Throws a `ModuleFault` of rules that ran for too long. */
export const runBatch = async (batch: Batch): Promise<BatchResult> => {
  const { players, rules, waits, save } = batch;
  const commands = players.flatMap(({ orders }) => orders);
  const request = { playerIds: players.map(({ playerId }) => playerId), commands, waits };
  const { index, value } = await saveUnderRules({ rules, save, request }, (modules, loaded) => {
    const judged = judgeAll(batch, modules, loaded);
    const changes = [...judged.values()].map(({ change }) => change).filter(({ events }) => events.length > 0);
    return { changes, value: { judged, lives: loaded.lives ?? new Map<string, number>() } };
  });
  return { ...value, index };
};

const judgeAll = (batch: Batch, modules: Modules, loaded: LoadedHomes): ReadonlyMap<string, JudgedHome> => {
  const { players, limits, measure, mostRulesMs = Number.POSITIVE_INFINITY } = batch;
  const judging = { modules, loaded, timer: timingRules(modules, measure) };
  const judged = new Map<string, JudgedHome>();
  let room = limits.eventsPerBatch;
  for (const player of players) {
    const home = loaded.homes.get(player.playerId);
    if (!home) continue;
    const one = judgeHome(judging, player, {
      home,
      seed: seedOf(loaded, player.playerId),
      nowMs: Math.max(loaded.nowMs, home.lastAtMs),
      maxEvents: Math.min(room, limits.eventsPerHome),
    });
    judging.timer.ran({ playerId: player.playerId });
    room = Math.max(0, room - one.change.events.length);
    judged.set(player.playerId, one);
  }
  const fault = judging.timer.faultOver(mostRulesMs);
  if (fault) throw fault;
  return judged;
};

/** The inputs that all homes of a batch share. */
interface Judging {
  readonly modules: Modules;
  readonly loaded: LoadedHomes;
  readonly timer: RuleTimer;
}

/**
 * Judges the orders of one player, one after another, on the loaded home. Without orders it only settles. Orders need a
 * settled home.
 */
const judgeHome = (judging: Judging, player: PlayerOrders, from: UnsettledHome): JudgedHome => {
  const { modules, loaded, timer } = judging;
  const { playerId, orders, standsStill, ahead } = player;
  const { before, found } = standsStill
    ? { before: from.home, found: standsStill }
    : (ahead?.settle(from) ?? settledPart(modules, from));
  if (found instanceof ModuleFault) {
    timer.ran({ playerId, fault: found });
    return standingStill(modules, openChange(before, loaded.answered), { ...from, fault: found, orders });
  }
  timer.ran({ playerId, events: found.events });
  const change = openChange(before, loaded.answered);
  if (found.events.length > 0) change.add(found.events, found.home);
  const judged = found.isSettled ? orders : [];
  const outcomes = judged.map((order) => {
    const outcome = judgeOrder(modules, change, order, () => judgeAsPossible(modules, change.after, order, from));
    timer.ran({ playerId, command: order.command });
    return outcome;
  });
  const { events, answers, orderFaults } = change;
  const shown = shownOrAsIs(modules, change.after, from);
  if (shown.fault) orderFaults.push(shown.fault);
  const commit = commitOf(before, shown.home, { events, nowMs: from.nowMs, answers });
  return { change, commit, isSettled: found.isSettled, outcomes, fault: undefined, orderFaults };
};

/**
 * Due things cannot be completed in part: they share a stock, so another order would give another result. A command that
 * was accepted before has its first reply, which needs no settled home; nor do a freeze and taking items. Their events have
 * the time of the last one, so things that are due then keep their time.
 */
const standingStill = (
  modules: Modules,
  change: OpenChange,
  { fault, nowMs, orders, seed }: Pick<PlayerOrders, 'orders'> & At & { readonly fault: ModuleFault },
): JudgedHome => {
  const { before, events, answers, orderFaults } = change;
  const { module, thing = '' } = fault;
  const outcomes = orders.map((order) =>
    judgeOrder(modules, change, order, () =>
      judgeUnsettled(modules, change.after, order, { fault, seed, nowMs: change.after.lastAtMs }),
    ),
  );
  const shown = shownOrAsIs(modules, change.after, { nowMs, seed }).home;
  const commit = commitOf(before, shown, { events, nowMs, answers, fault: { module, thing } });
  return { change, commit, isSettled: true, outcomes, fault, orderFaults };
};

const judgeOrder = (modules: Modules, change: OpenChange, order: HomeOrder, judged: () => Judged): Outcome => {
  try {
    return repeated(modules, change, order) ?? outcomeOf(modules, change, order, judged());
  } catch (error) {
    // A consequence of the command failed: the command is refused, and the home stays unchanged.
    if (!isA(error, ModuleFault)) throw error;
    change.orderFaults.push(error);
    return refused(faultRejection(error));
  }
};

const outcomeOf = (
  modules: Modules,
  change: OpenChange,
  { command, commandId }: HomeOrder,
  judged: Judged,
): Outcome => {
  if (!judged.decision.ok) {
    if (judged.decision.fault) change.orderFaults.push(judged.decision.fault);
    return refused(judged.decision.error);
  }
  if (judged.fault) change.orderFaults.push(judged.fault);
  const hash = commandHash(command);
  const events = judged.decision.value;
  // Made first: if the rule for the reply fails, nothing has been added yet.
  const outcome = replied(change, { commandId, hash, reply: replyOf(modules, events) });
  change.add([...judged.opening, ...judged.settled, ...events], judged.home);
  change.commands.set(events[0]?.seq ?? 0, { hash, answerSeq: events.at(-1)?.seq ?? 0 });
  change.answered.set(commandId, { hash, events });
  return outcome;
};

/** The outcome of a command whose id was accepted before. */
const repeated = (modules: Modules, change: OpenChange, { command, commandId }: HomeOrder): Outcome | undefined => {
  const earlier = change.answered.get(commandId);
  if (!earlier) return undefined;
  const { hash, events } = earlier;
  if (hash !== commandHash(command)) return refused(reject('command/reused', { commandId }));
  return replied(change, { commandId, hash, reply: replyAgain(modules, change, events) });
};

/**
 * The command was done, even if this process cannot read its events, or the rule for its reply fails: a refusal would
 * let the player order it anew.
 */
const replyAgain = (modules: Modules, { orderFaults }: OpenChange, events: readonly HomeEvent[]): Reply => {
  try {
    return replyOf(modules, events);
  } catch (error) {
    const module = modules.ofEvent(events[0]?.type ?? '')?.module.name ?? 'home';
    orderFaults.push(isA(error, ModuleFault) ? error : new ModuleFault({ module, rule: 'reply' }, error));
    return plainReplyOf(events);
  }
};

/** The commit carries the reply too, so that reply and events leave together. */
const replied = ({ answers }: OpenChange, answer: Omit<Answer, 'fromSeq'>): Outcome => {
  answers.push({ ...answer, fromSeq: answer.reply.events[0]?.seq ?? 0 });
  return ok(answer.reply);
};
