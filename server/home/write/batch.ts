import type { Catalogue } from '../../../shared/catalogue.ts';
import { newHome } from '../../../shared/home.ts';
import type { HomeStore, HomesChanged, LoadedHomes } from '../model/home-store.ts';
import type { HomeOrder } from '../model/homes.ts';
import { type JudgedHome, judgeHome } from './judge-home.ts';

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
