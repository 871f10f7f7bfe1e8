import type { Catalogue } from '../../../shared/catalogue.ts';
import type { HomeEvent } from '../../../shared/event.ts';
import { fold } from '../../../shared/evolve.ts';
import { type Home, newHome } from '../../../shared/home.ts';
import { reject } from '../../../shared/protocol.ts';
import { ok, refused } from '../../../shared/result.ts';
import { judge, openHome } from '../../domain/judge.ts';
import { replyOf } from '../../domain/reply-of.ts';
import { settleSome } from '../../domain/settle.ts';
import { commandHash } from '../model/command-hash.ts';
import type {
  AnsweredCommand,
  CommandRecord,
  HomeChange,
  HomeStore,
  HomesChanged,
  LoadedHomes,
} from '../model/home-store.ts';
import type { Answer, Commit, HomeOrder, Outcome } from '../model/homes.ts';

/** What the rules made of one home in one batch. */
export interface JudgedHome {
  readonly change: HomeChange;
  readonly commit: Commit;
  /** Not: there is more to settle than there was room for, and no order was judged. */
  readonly isSettled: boolean;
  /** In the order of the orders. */
  readonly outcomes: readonly Outcome[];
}

/** The orders of one player in a batch; without any it only looks. */
export interface PlayerOrders {
  readonly playerId: string;
  readonly orders: readonly HomeOrder[];
}

export interface BatchResult {
  /** By player; those whose home somebody else had locked are missing. */
  readonly judged: ReadonlyMap<string, JudgedHome>;
  readonly index: HomesChanged;
  readonly lives: ReadonlyMap<string, number>;
}

/** Of what settling brings, about: a home that was away for years takes several batches, and no statement is long. */
export interface SettleLimits {
  readonly eventsPerHome: number;
  readonly eventsPerBatch: number;
}

/** How a batch gets to the store: in a transaction of its own, or in somebody else's. */
export type Save = HomeStore['change'];

interface Batch {
  readonly catalogue: Catalogue;
  readonly players: readonly PlayerOrders[];
  readonly waits: boolean;
  readonly limits: SettleLimits;
  /** Players whose timer rows are compared as well. */
  readonly compared?: readonly string[];
  readonly save: Save;
}

/** Takes the orders of many players through one transaction. */
export const runBatch = async (batch: Batch): Promise<BatchResult> => {
  const { players, waits, compared = [], save } = batch;
  const commands = players.flatMap(({ orders }) => orders.map(({ playerId, commandId }) => ({ playerId, commandId })));
  const request = { playerIds: players.map(({ playerId }) => playerId), commands, waits, compared };
  const { index, value } = await save(request, (loaded) => {
    const judged = judgeAll(batch, loaded);
    const changes = [...judged.values()].map(({ change }) => change).filter(({ events }) => events.length > 0);
    return { changes, value: { judged, lives: loaded.lives ?? new Map() } };
  });
  return { ...value, index };
};

const judgeAll = ({ catalogue, players, limits }: Batch, loaded: LoadedHomes): ReadonlyMap<string, JudgedHome> => {
  const judged = new Map<string, JudgedHome>();
  let room = limits.eventsPerBatch;
  for (const { playerId, orders } of players) {
    const before = loaded.homes.get(playerId);
    if (!before) continue;
    const maxEvents = Math.min(room, limits.eventsPerHome);
    const one = judgeHome({ catalogue, loaded, before, orders, maxEvents });
    room = Math.max(0, room - one.change.events.length);
    judged.set(playerId, one);
  }
  return judged;
};

/**
 * The same in the transaction of somebody else, who waits for all of it: in as many rounds as it takes until every home is
 * settled and its orders are judged.
 */
export const runRounds = async (input: Batch): Promise<readonly BatchResult[]> => {
  const rounds: BatchResult[] = [];
  for (let { players } = input; players.length > 0; ) {
    const { judged, ...round } = await runBatch({ ...input, players });
    rounds.push({ judged, ...round });
    players = players.filter(({ playerId }) => judged.get(playerId)?.isSettled === false);
  }
  return rounds;
};

/** What a player without a home is shown: the items that the first command will bring. */
export const unsavedHome = (catalogue: Catalogue, playerId: string) => ({
  ...newHome(playerId),
  items: catalogue.starter.items,
});

interface Judging {
  readonly catalogue: Catalogue;
  readonly loaded: LoadedHomes;
  readonly before: Home;
  readonly orders: readonly HomeOrder[];
  /** How far it settles, about. */
  readonly maxEvents: number;
}

/**
 * Judges the orders of one player, one after the other, on the home as it was loaded. Without orders it only looks. Orders
 * are for a home that is settled.
 */
const judgeHome = ({ catalogue, loaded, before, orders, maxEvents }: Judging): JudgedHome => {
  const nowMs = Math.max(loaded.nowMs, before.lastAtMs);
  const sheet = sheetOf(before, loaded.answered);
  const found = settleSome(before, nowMs, maxEvents);
  sheet.add(found.events);
  const outcomes = found.isSettled ? orders.map((order) => judgeOrder(catalogue, sheet, order, nowMs)) : [];
  const { home, events, commands, answers } = sheet;
  return {
    change: { before, after: home, events, commands },
    commit: { playerId: before.playerId, home, events, nowMs, answers },
    isSettled: found.isSettled,
    outcomes,
  };
};

/** What has happened to a home so far in the batch. */
interface Sheet {
  home: Home;
  readonly events: HomeEvent[];
  readonly commands: Map<number, CommandRecord>;
  readonly answers: Answer[];
  readonly answered: Map<string, Pick<AnsweredCommand, 'hash' | 'events'>>;
  add(events: readonly HomeEvent[]): void;
}

const sheetOf = (before: Home, answered: readonly AnsweredCommand[]): Sheet => {
  const mine = answered.filter((command) => command.playerId === before.playerId);
  return {
    home: before,
    events: [],
    commands: new Map(),
    answers: [],
    answered: new Map(mine.map((command) => [command.commandId, command])),
    add(events) {
      this.home = fold(this.home, events);
      this.events.push(...events);
    },
  };
};

const judgeOrder = (catalogue: Catalogue, sheet: Sheet, order: HomeOrder, nowMs: number): Outcome => {
  const { command, commandId } = order;
  const hash = commandHash(command);
  const earlier = sheet.answered.get(commandId);
  if (earlier) {
    return earlier.hash === hash ? ok(replyOf(earlier.events)) : refused(reject('command/reused', { commandId }));
  }
  // A home begins with its first accepted command: until then the starter items are only shown.
  const opening = sheet.home.seq === 0 ? openHome(sheet.home, catalogue, nowMs) : [];
  const judged = judge({ catalogue, home: fold(sheet.home, opening), command, commandId, nowMs });
  if (!judged.decision.ok) return judged.decision;
  const events = judged.decision.value;
  const reply = replyOf(events);
  sheet.add(opening);
  sheet.add(judged.settled);
  sheet.add(events);
  const fromSeq = events[0]?.seq ?? 0;
  sheet.commands.set(fromSeq, { hash, answerSeq: reply.seq });
  sheet.answers.push({ commandId, fromSeq, reply });
  sheet.answered.set(commandId, { hash, events });
  return ok(reply);
};
