import { Client, type Room } from '@colyseus/sdk';
import type { HomeState } from '../../../shared/home-state.ts';
import type { EventsMessage, HomeEvent, Reply, SyncReply } from '../../../shared/pets/protocol.ts';

/** A player on one device, with nothing but the SDK. */
export interface Player {
  readonly room: Room;
  readonly token: string;
  /** Everything that reached the device, in the order of arrival: by push or by reply. */
  readonly events: readonly HomeEvent[];
  readonly state: HomeState;
  ask(type: string, payload: object): Promise<Reply>;
  /** Ends when an event that fits has reached the device, also an earlier one. */
  saw(fits: (event: HomeEvent) => boolean): Promise<HomeEvent>;
  log(): Promise<readonly HomeEvent[]>;
}

let commands = 0;

/** Signs in (as a new guest without a token) and joins the home. */
export const joinHome = async (
  address: string,
  options: { readonly token?: string; readonly join?: object } = {},
): Promise<Player> => {
  const client = new Client(address);
  if (options.token === undefined) await client.auth.signInAnonymously();
  else client.auth.token = options.token;
  const events: HomeEvent[] = [];
  const waiting = new Set<() => void>();
  const tell = (more: readonly HomeEvent[]): void => {
    events.push(...more);
    for (const look of waiting) look();
  };
  const room: Room = await client.joinOrCreate('home', options.join ?? {});
  room.onMessage('home:token', ({ token }: { token: string }) => {
    client.auth.token = token;
  });
  room.onMessage('home:rejected', () => undefined);
  room.onMessage('home:drain', () => undefined);
  room.onMessage('home:events', (message: EventsMessage) => tell(message.events));
  return {
    room,
    get token() {
      return client.auth.token ?? '';
    },
    events,
    get state() {
      return room.state as HomeState;
    },
    ask: async (type, payload) => {
      const reply: Reply = await room.request(type, { commandId: `command-${++commands}-${process.pid}`, ...payload });
      tell(reply.events);
      return reply;
    },
    saw: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = events.find(fits);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    log: async () => ((await room.request('home:sync', { afterSeq: 0 })) as SyncReply).events,
  };
};
