import type { HomeStore } from '../model/home-store.ts';
import type { HomeFeed } from './home-feed.ts';

const LOOK_EVERY_MS = 3_000;
const PLAYERS_A_QUERY = 5_000;

interface Dependencies {
  readonly feed: Pick<HomeFeed, 'told'>;
  readonly store: Pick<HomeStore, 'newestSeqs'>;
  /** Looks at the homes, which tells their followers. */
  readonly look: (playerIds: readonly string[]) => Promise<unknown>;
  /** Tells the followers of a player who was erased. */
  readonly erased: (playerId: string) => void;
}

/** Finds what no message told of: compares the followed players' `seq` with the rows, a query for thousands. */
export class SeqWatch {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  tick = async (): Promise<number> => {
    const { feed, store, look, erased } = this.#dependencies;
    const told = feed.told();
    const playerIds = [...told.keys()];
    for (let at = 0; at < playerIds.length; at += PLAYERS_A_QUERY) {
      const asked = playerIds.slice(at, at + PLAYERS_A_QUERY);
      const newest = await store.newestSeqs(asked);
      for (const playerId of asked) if ((newest.get(playerId) ?? 0) < (told.get(playerId) ?? 0)) erased(playerId);
      const behind = [...newest].filter(([playerId, seq]) => seq > (told.get(playerId) ?? 0));
      if (behind.length > 0) await look(behind.map(([playerId]) => playerId));
    }
    return LOOK_EVERY_MS;
  };
}
