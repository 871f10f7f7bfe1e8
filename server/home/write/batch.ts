import type { HomeEvent } from '../../../shared/event.ts';
import { isA } from '../../../shared/game-code.ts';
import type { Home } from '../../../shared/home.ts';
import { reject } from '../../../shared/protocol.ts';
import { ok, refused } from '../../../shared/result.ts';
import { fold } from '../../domain/evolve.ts';
import { judge, judgeSettled } from '../../domain/judge.ts';
import { ModuleFault } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import { openHome } from '../../domain/open-home.ts';
import { replyOf } from '../../domain/reply-of.ts';
import { faultRejection } from '../../domain/written.ts';
import type { IndexChanges } from '../../timer/model/index-entry.ts';
import { commandHash } from '../model/command-hash.ts';
import type { HomeMeasure } from '../model/home-measurement.ts';
import type { AnsweredCommand, CommandRecord, HomeChange, HomeStore, LoadedHomes } from '../model/home-store.ts';
import type { Answer, Commit, HomeOrder, Outcome } from '../model/homes.ts';
import { type Ahead, partOf } from './ahead.ts';
import { commitOf, faultOf, shownOrAsIs } from './commit-of.ts';
import { type RuleTimer, timingRules } from './slow-rules.ts';

/** What the rules made of one home in one batch. */
export interface JudgedHome {
  readonly change: HomeChange;
  readonly commit: Commit;
  /** Not: there is more to settle than there was room for, and no order was judged. */
  readonly isSettled: boolean;
  /** In the order of the orders. */
  readonly outcomes: readonly Outcome[];
  /** A rule failed while it settled: it stands still, and nothing is done with it. */
  readonly fault: ModuleFault | undefined;
  /** Rules that failed on an order. */
  readonly orderFaults: readonly ModuleFault[];
}

/** The orders of one player in a batch; without any it only looks. */
export interface PlayerOrders {
  readonly playerId: string;
  readonly orders: readonly HomeOrder[];
  /** The game's own rows said no to what settling brings. */
  readonly standsStill?: ModuleFault;
  /** What was settled while the batch before was written. */
  readonly ahead?: Ahead;
}

export interface BatchResult {
  /** By player; those whose home somebody else had locked are missing. */
  readonly judged: ReadonlyMap<string, JudgedHome>;
  readonly index: IndexChanges;
  readonly lives: ReadonlyMap<string, number>;
}

/** Of what settling brings, about: a home that was away for years takes several batches, and no statement is long. */
export interface SettleLimits {
  readonly eventsPerHome: number;
  readonly eventsPerBatch: number;
}

/** How a batch gets to the store: in a transaction of its own, or in somebody else's. */
export type Save = HomeStore['change'];

export interface Batch {
  readonly modules: Modules;
  readonly players: readonly PlayerOrders[];
  readonly waits: boolean;
  readonly limits: SettleLimits;
  readonly save: Save;
  readonly measure: HomeMeasure | undefined;
  /** How long the rules of all may run: after that nothing is saved. Missing: as long as they do. */
  readonly mostRulesMs?: number;
}

/** Takes the orders of many players through one transaction. Throws a `ModuleFault` of rules that ran for too long. */
export const runBatch = async (batch: Batch): Promise<BatchResult> => {
  const { players, waits, save } = batch;
  const commands = players.flatMap(({ orders }) => orders.map(({ playerId, commandId }) => ({ playerId, commandId })));
  const request = { playerIds: players.map(({ playerId }) => playerId), commands, waits };
  const { index, value } = await save(request, (loaded) => {
    const judged = judgeAll(batch, loaded);
    const changes = [...judged.values()].map(({ change }) => change).filter(({ events }) => events.length > 0);
    return { changes, value: { judged, lives: loaded.lives ?? new Map() } };
  });
  return { ...value, index };
};

const judgeAll = (batch: Batch, loaded: LoadedHomes): ReadonlyMap<string, JudgedHome> => {
  const { modules, players, limits, measure, mostRulesMs = Number.POSITIVE_INFINITY } = batch;
  const timer = timingRules(modules, measure);
  const judged = new Map<string, JudgedHome>();
  let room = limits.eventsPerBatch;
  for (const { playerId, orders, standsStill, ahead } of players) {
    const home = loaded.homes.get(playerId);
    if (!home) continue;
    const maxEvents = Math.min(room, limits.eventsPerHome);
    const one = judgeHome({ modules, loaded, home, orders, maxEvents, standsStill, ahead, timer });
    timer.ran({ playerId });
    room = Math.max(0, room - one.change.events.length);
    judged.set(playerId, one);
  }
  const fault = timer.faultOver(mostRulesMs);
  if (fault) throw fault;
  return judged;
};

interface Judging {
  readonly modules: Modules;
  readonly loaded: LoadedHomes;
  /** As it was loaded. */
  readonly home: Home;
  readonly orders: readonly HomeOrder[];
  /** How far it settles, about. */
  readonly maxEvents: number;
  readonly standsStill: ModuleFault | undefined;
  readonly ahead: Ahead | undefined;
  readonly timer: RuleTimer;
}

/**
 * Judges the orders of one player, one after the other, on the home as it was loaded. Without orders it only looks. Orders
 * are for a home that is settled.
 */
const judgeHome = (judging: Judging): JudgedHome => {
  const { modules, loaded, home: asLoaded, orders, maxEvents, standsStill, ahead, timer } = judging;
  const { playerId } = asLoaded;
  const nowMs = Math.max(loaded.nowMs, asLoaded.lastAtMs);
  const from = { home: asLoaded, life: loaded.lives?.get(playerId) ?? 0, nowMs, maxEvents };
  const { before, found } = standsStill
    ? { before: asLoaded, found: standsStill }
    : (ahead?.settle(from) ?? partOf(modules, from));
  if (found instanceof ModuleFault) {
    timer.ran({ playerId, fault: found });
    return standingStill(before, found, { nowMs, orders });
  }
  timer.ran({ playerId, events: found.events });
  const sheet = sheetOf(before, loaded.answered);
  if (found.events.length > 0) sheet.add(found.events, found.home);
  const judged = found.isSettled ? orders : [];
  const outcomes = judged.map((order) => {
    const outcome = judgeOrder(modules, sheet, order, nowMs);
    timer.ran({ playerId, command: order.command });
    return outcome;
  });
  const { home, events, commands, answers, faults } = sheet;
  const shown = shownOrAsIs(modules, home, nowMs);
  if (shown.fault) faults.push(shown.fault);
  return {
    change: { before, after: home, events, commands },
    commit: commitOf(before, home.seq > 0 ? shown.home : home, { events, nowMs, answers }),
    isSettled: found.isSettled,
    outcomes,
    fault: undefined,
    orderFaults: faults,
  };
};

/** Half of what is due can't be skipped: things share a stock, so their order would be another one. */
const standingStill = (
  home: Home,
  fault: ModuleFault,
  { nowMs, orders }: { readonly nowMs: number; readonly orders: readonly HomeOrder[] },
): JudgedHome => ({
  change: { before: home, after: home, events: [], commands: new Map() },
  commit: { ...commitOf(home, home, { events: [], nowMs, answers: [] }), fault: faultOf(fault) },
  isSettled: true,
  outcomes: orders.map(() => refused(faultRejection(fault))),
  fault,
  orderFaults: [],
});

/** What has happened to a home so far in the batch. */
interface Sheet {
  home: Home;
  readonly events: HomeEvent[];
  readonly commands: Map<number, CommandRecord>;
  readonly answers: Answer[];
  readonly answered: Map<string, Pick<AnsweredCommand, 'hash' | 'events'>>;
  readonly faults: ModuleFault[];
  /** Events, and the home after them. */
  add(events: readonly HomeEvent[], after: Home): void;
}

const sheetOf = (before: Home, answered: readonly AnsweredCommand[]): Sheet => {
  const mine = answered.filter((command) => command.playerId === before.playerId);
  return {
    home: before,
    events: [],
    commands: new Map(),
    answers: [],
    answered: new Map(mine.map((command) => [command.commandId, command])),
    faults: [],
    add(events, after) {
      this.home = after;
      this.events.push(...events);
    },
  };
};

const judgeOrder = (modules: Modules, sheet: Sheet, order: HomeOrder, nowMs: number): Outcome => {
  try {
    return outcomeOf(modules, sheet, order, nowMs);
  } catch (error) {
    // What the command set off failed: it is refused, and the home is as it was.
    if (!isA(error, ModuleFault)) throw error;
    sheet.faults.push(error);
    return refused(faultRejection(error));
  }
};

const outcomeOf = (modules: Modules, sheet: Sheet, order: HomeOrder, nowMs: number): Outcome => {
  const { command, commandId } = order;
  const hash = commandHash(command);
  const earlier = sheet.answered.get(commandId);
  if (earlier) {
    return earlier.hash === hash
      ? ok(replyOf(modules, earlier.events))
      : refused(reject('command/reused', { commandId }));
  }
  const judged = judgeOpened(modules, sheet.home, order, nowMs);
  if (!judged.decision.ok) {
    if (judged.decision.fault) sheet.faults.push(judged.decision.fault);
    return refused(judged.decision.error);
  }
  const events = judged.decision.value;
  const reply = replyOf(modules, events);
  sheet.add([...judged.opening, ...judged.settled, ...events], judged.home);
  const fromSeq = events[0]?.seq ?? 0;
  sheet.commands.set(fromSeq, { hash, answerSeq: reply.seq });
  sheet.answers.push({ commandId, fromSeq, reply });
  sheet.answered.set(commandId, { hash, events });
  return ok(reply);
};

/** On a settled home. It begins with its first accepted command: until then what a player begins with is only shown. */
const judgeOpened = (modules: Modules, home: Home, { command, commandId }: HomeOrder, nowMs: number) => {
  const opening = openHome(modules, home, { nowMs });
  if (opening.length === 0)
    return { opening, settled: [], ...judgeSettled({ modules, home, command, commandId, nowMs }) };
  return { opening, ...judge({ modules, home: fold(modules, home, opening), command, commandId, nowMs }) };
};
