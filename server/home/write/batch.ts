import type { Catalogue } from '../../../shared/catalogue.ts';
import { newHome } from '../../../shared/home.ts';
import type { HomeRequest, HomeStore, HomesChanged, LoadedHomes } from '../model/home-store.ts';
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
export type Save = (request: HomeRequest, decide: Parameters<HomeStore['change']>[1]) => Promise<HomesChanged>;

/** Takes the orders of many players through one transaction. */
export const runBatch = async (input: {
  readonly catalogue: Catalogue;
  readonly players: readonly PlayerOrders[];
  readonly waits: boolean;
  readonly limits: SettleLimits;
  /** Players whose timer rows are compared as well. */
  readonly compared?: readonly string[];
  readonly save: Save;
}): Promise<BatchResult> => {
  const judged = new Map<string, JudgedHome>();
  let lives: ReadonlyMap<string, number> = new Map();
  const decide = (loaded: LoadedHomes) => {
    judged.clear();
    let room = input.limits.eventsPerBatch;
    lives = loaded.lives ?? lives;
    for (const { playerId, orders } of input.players) {
      const home = loaded.homes.get(playerId);
      if (!home) continue;
      const maxEvents = Math.min(room, input.limits.eventsPerHome);
      const one = judgeHome({ catalogue: input.catalogue, loaded, before: home, orders, maxEvents });
      room = Math.max(0, room - one.change.events.length);
      judged.set(playerId, one);
    }
    return [...judged.values()].map((home) => home.change).filter((change) => change.events.length > 0);
  };
  const index = await input.save(
    {
      playerIds: input.players.map((player) => player.playerId),
      commands: input.players.flatMap((player) =>
        player.orders.map(({ playerId, commandId }) => ({ playerId, commandId })),
      ),
      waits: input.waits,
      compared: input.compared ?? [],
    },
    decide,
  );
  return { judged, index, lives };
};

/**
 * The same in the transaction of somebody else, who waits for all of it: in as many rounds as it takes until every home is
 * settled and its orders are judged.
 */
export const runRounds = async (input: Parameters<typeof runBatch>[0]): Promise<readonly BatchResult[]> => {
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
