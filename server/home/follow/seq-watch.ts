import type { HomeStore } from '../model/home-store.ts';
import type { HomeFeed } from './home-feed.ts';

const POLL_EVERY_MS = 3_000;
const PLAYERS_A_QUERY = 5_000;

interface Dependencies {
  readonly feed: Pick<HomeFeed, 'published'>;
  readonly store: Pick<HomeStore, 'newestSeqs'>;
  /** Settles the homes, which publishes them to their followers. */
  readonly look: (playerIds: readonly string[]) => Promise<unknown>;
  /** Publishes to the player's followers that the player was erased. */
  readonly erased: (playerId: string) => void;
}

/** Finds commits that no message brought: compares the followed players' `seq` with the rows, thousands in one query. */
export class SeqWatch {
  readonly #on: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  tick = async (): Promise<number> => {
    const { feed, store, look, erased } = this.#on;
    const published = feed.published();
    const playerIds = [...published.keys()];
    for (let at = 0; at < playerIds.length; at += PLAYERS_A_QUERY) {
      const asked = playerIds.slice(at, at + PLAYERS_A_QUERY);
      const newest = await store.newestSeqs(asked);
      for (const playerId of asked) if ((newest.get(playerId) ?? 0) < (published.get(playerId) ?? 0)) erased(playerId);
      const behind = [...newest].filter(([playerId, seq]) => seq > (published.get(playerId) ?? 0));
      if (behind.length > 0) await look(behind.map(([playerId]) => playerId));
    }
    return POLL_EVERY_MS;
  };
}
