// Work on homes inside a transaction that the caller commits.

import type { Home } from '../../../shared/home.ts';
import { reject } from '../../../shared/protocol.ts';
import { refused } from '../../../shared/result.ts';
import type { IndexChanges } from '../../timer/model/index-entry.ts';
import { isHandlerTx } from '../../timer/model/timer-kind.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import type { HomeFeed } from '../follow/home-feed.ts';
import { type HomeMeasure, MOST_RULES_MS } from '../model/home-measurement.ts';
import type { HomeStore } from '../model/home-store.ts';
import type { HomeOrder, Outcome } from '../model/homes.ts';
import type { RulesInForce } from '../model/rules-in-force.ts';
import { type Batch, type BatchResult, type PlayerOrders, runBatch, type SettleLimits } from './batch.ts';
import { type MergedInTx, type MergeOrder, mergeIn } from './merge-in.ts';
import type { Save } from './under-rules.ts';

export type { MergedInTx, MergeOrder } from './merge-in.ts';

/** The dependencies of both functions. */
export interface InTx {
  readonly rules: RulesInForce;
  readonly store: HomeStore;
  readonly limits: SettleLimits;
  readonly measure: HomeMeasure | undefined;
  readonly feed: Pick<HomeFeed, 'publish'>;
  readonly updateIndex: (changes: IndexChanges) => void;
}

/** Outcomes of orders in a transaction that the caller commits. */
export interface HandledInTx {
  readonly outcomes: readonly Outcome[];
  /** By player: the home before and after all orders. */
  readonly homes: ReadonlyMap<string, { readonly before: Home; readonly after: Home }>;
  /** Call it after the commit: publishes to the followers and the due index. In a handler the engine calls it. */
  readonly afterCommit: () => void;
}

/** By transaction: the call that runs, or waits as the last one. */
const running = new WeakMap<Tx, Promise<unknown>>();

/**
 * Calls in one transaction run one after another, because a transaction does not wait for its own rows: two at once
 * would read the same home. If one fails, those that wait fail with it.
 */
const inLine = <T>(tx: Tx, work: () => Promise<T>): Promise<T> => {
  const before = running.get(tx);
  const done = (before === undefined ? work() : before.then(work)).finally(() => {
    if (running.get(tx) === done) running.delete(tx);
  });
  running.set(tx, done);
  return done;
};

/** Outcomes in the order of the orders. Throws a `ModuleFault` of rules that run longer than `mostRulesMs`. */
export const handleInTx = (
  on: InTx,
  tx: Tx,
  orders: readonly HomeOrder[],
  mostRulesMs?: number,
): Promise<HandledInTx> => inLine(tx, () => on.store.whole(tx, () => handled(on, tx, orders, mostRulesMs)));

const handled = async (
  on: InTx,
  tx: Tx,
  orders: readonly HomeOrder[],
  mostRulesMs: number | undefined,
): Promise<HandledInTx> => {
  const players = Map.groupBy(orders, (order) => order.playerId);
  const rounds = await roundsIn(
    on,
    tx,
    [...players].map(([playerId, own]) => ({ playerId, orders: own })),
    mostRulesMs,
  );
  const judged = new Map(rounds.flatMap((round) => [...round.judged]));
  const found = new Map(rounds.toReversed().flatMap((round) => [...round.judged]));
  const byOrder = new Map<HomeOrder, Outcome>();
  for (const [playerId, own] of players) {
    own.forEach((order, at) => {
      const outcome = judged.get(playerId)?.outcomes[at];
      if (outcome) byOrder.set(order, outcome);
    });
  }
  return {
    outcomes: orders.map((order) => byOrder.get(order) ?? refused(reject('server/unavailable'))),
    homes: new Map(
      [...judged].map(([playerId, { change }]) => [
        playerId,
        { before: found.get(playerId)?.change.before ?? change.before, after: change.after },
      ]),
    ),
    afterCommit: afterCommitOf(tx, () => publish(on, rounds)),
  };
};

/** Merges a home into another one. */
export const mergeInTx = (on: InTx, tx: Tx, merge: MergeOrder): Promise<MergedInTx> =>
  on.store.whole(tx, () => mergedIn(on, tx, merge));

const mergedIn = async (on: InTx, tx: Tx, merge: MergeOrder): Promise<MergedInTx> => {
  const homes = [merge.guestId, merge.accountId].map((playerId) => ({ playerId, orders: [] }));
  const rounds = await roundsIn(on, tx, homes, MOST_RULES_MS);
  const { rules, store, measure } = on;
  const { merged, index } = await mergeIn({ rules, store, measure, tx, ...merge });
  return {
    ...merged,
    afterCommit: afterCommitOf(tx, () => {
      publish(on, rounds);
      for (const { commit } of [merged.guest, merged.account]) on.feed.publish(commit);
      on.updateIndex(index);
    }),
  };
};

const roundsIn = (
  { rules, store, limits, measure }: InTx,
  tx: Tx,
  players: readonly PlayerOrders[],
  mostRulesMs?: number,
): Promise<readonly BatchResult[]> => {
  const save: Save = (request, decide) => store.changeIn(tx, request, decide);
  return runRounds({ rules, players, waits: true, limits, measure, save, mostRulesMs });
};

/**
 * Runs rounds until every home is settled and its orders are judged: the caller waits for all of it. A home that another
 * transaction was making is not in the round that waited for it.
 */
const runRounds = async (input: Batch): Promise<readonly BatchResult[]> => {
  const rounds: BatchResult[] = [];
  for (let { players } = input; players.length > 0; ) {
    const { judged, ...round } = await runBatch({ ...input, players });
    rounds.push({ judged, ...round });
    players = players.filter(({ playerId }) => judged.get(playerId)?.isSettled !== true);
  }
  return rounds;
};

const publish = ({ feed, updateIndex }: InTx, rounds: readonly BatchResult[]): void => {
  for (const { judged, index } of rounds) {
    for (const { commit } of judged.values()) feed.publish(commit);
    updateIndex(index);
  }
};

/** In a handler the caller has nothing to call, because the engine commits. */
const afterCommitOf = (tx: Tx, act: () => void): (() => void) => {
  if (!isHandlerTx(tx)) return act;
  tx.afterCommit(act);
  return () => undefined;
};
