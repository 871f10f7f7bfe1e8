// Pets finish their meals while players are away: an offline player gets a mobile push; a player in the game sees it anyway.
import { createKibble, type KibbleOptions, type PlayerEvent } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

interface Phones {
  /** The connected ones of these players, by Colyseus' `presence` or by the game. */
  online(playerIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Sends at most once for each `key`. Throws when the service is down. */
  push(messages: readonly { playerId: string; text: string; key: string }[], signal: AbortSignal): Promise<void>;
}

export const openPets = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>, phones: Phones) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    consumers: [
      {
        name: 'mobile-push',
        // All players' events, each at least once. After an error the same events come again; no player waits for that.
        handle: async (events, signal) => {
          const news = events.filter((event) => textOf(event) !== undefined);
          if (news.length === 0) return;
          const online = await phones.online(news.map(({ playerId }) => playerId));
          const messages = news
            .filter(({ playerId }) => !online.has(playerId))
            .map((event) => ({
              playerId: event.playerId,
              text: textOf(event) ?? '',
              key: `${event.playerId}~${event.seq}~${event.at}`, // `seq` begins again after an erasure
            }));
          if (messages.length > 0) await phones.push(messages, signal);
        },
      },
    ],
  });
  return { kibble };
};

/** Undefined for most events. */
const textOf = (event: PlayerEvent): string | undefined => {
  switch (event.type) {
    case 'feeding-completed':
      return `Your pet has finished its meal: ${event.xp} xp!`;
    case 'auto-feed-blocked':
      return `Your pet would go on eating, but there is no ${event.food} left.`;
    default:
      return undefined;
  }
};
