// A client that reconnects by itself: after any loss it joins again (any process will do), shows missed events, and repeats commands
// without a reply. It needs only the Colyseus SDK.
import { type Client, CloseCode, ErrorCode, type Room } from '@colyseus/sdk';
import type { HomeEvent, Reply, SyncReply } from '../shared/pets/protocol.ts'; // in a game: 'colyseus-kibble'

interface Refusal {
  readonly code?: number;
  readonly name?: string;
  readonly reason?: { readonly retryable: boolean };
}

/** Refused for good: a command that the room does not know or the rules forbid, a token that no server accepts, another log (`sync/ahead`). */
const isFinal = (error: unknown): boolean => {
  const { code, name, reason } = error as Refusal;
  return code === ErrorCode.AUTH_FAILED || name === 'no_handler' || reason?.retryable === false;
};

/** 1,000 characters take less than 4,096 bytes. A larger frame closes the connection each time. */
const mostCharacters = 1_000;

const pause = (upToMs: number) => new Promise((resolve) => setTimeout(resolve, Math.random() * upToMs));

/** `keep` stores a guest's renewed token for the next start. The SDK stores only the token of the sign-in, which ends after 180 days. */
export const comeBack = (
  client: Client,
  show: (event: HomeEvent) => void,
  keep: (token: string) => void = () => {},
) => {
  let hasLeft = false;
  const again = async <Value>(act: () => Promise<Value>): Promise<Value> => {
    for (let waitMs = 200; ; waitMs = Math.min(waitMs * 2, 5_000)) {
      try {
        return await act();
      } catch (error) {
        if (hasLeft || isFinal(error)) throw error;
        await pause(waitMs);
      }
    }
  };
  let seen = 0; // `seq` of the last event that was shown
  let epoch: string | undefined; // the life of the log that `seen` counts
  const early = new Map<number, HomeEvent>(); // a reply resolves its promise a moment after the push behind it arrives
  const take = (events: readonly HomeEvent[]): void => {
    for (const event of events) if (event.seq > seen) early.set(event.seq, event);
    for (let next = early.get(seen + 1); next; next = early.get(seen + 1)) {
      early.delete(++seen);
      show(next);
    }
  };
  const catchUp = async (room: Room): Promise<void> => {
    const page: SyncReply = await room.request('home:sync', { afterSeq: seen, ...(epoch && { epoch }) });
    seen = Math.max(seen, (page.events[0]?.seq ?? 1) - 1); // older events are deleted from the log
    take(page.events);
    if (page.truncated) await catchUp(room);
  };
  const join = async (): Promise<Room> => {
    const room: Room = await client.joinOrCreate('home', { afterSeq: seen, ...(epoch && { epoch }) });
    room.reconnection.enabled = false; // it needs the same process, which may be gone; a new join does not
    room.onMessage('*', () => {});
    room.onMessage('home:token', ({ token }) => {
      client.auth.token = token;
      keep(token);
    });
    room.onMessage('home:events', ({ events }) => take(events));
    await catchUp(room).catch((error) => room.connection.close() ?? Promise.reject(error));
    epoch ??= room.state.epoch;
    room.onLeave((code) => hasLeft || code === CloseCode.CONSENTED || joinAgain(500)); // randomly delayed, so that clients of a lost server do not all return at once
    return room;
  };
  const joinAgain = (withinMs: number): void => {
    home = pause(withinMs).then(() => again(join));
    home.catch(() => {}); // the next `ask` throws it
  };
  let home: Promise<Room>;
  joinAgain(0);
  return {
    /** Sends a command until its reply comes: with one `commandId` it is done once. Throws when it is refused for good. */
    ask: async (type: string, payload: object): Promise<Reply> => {
      const command = { commandId: crypto.randomUUID(), ...payload };
      if (JSON.stringify(command).length > mostCharacters) throw new Error('command/too-large');
      const reply = await again<Reply>(async () => (await home).request(type, command));
      take(reply.events);
      if (early.size > 0) await home.then(catchUp).catch(() => {}); // if the whole log was deleted, no page says where it begins
      return reply;
    },
    /** A command without a reply throws. */
    leave: async (): Promise<void> => {
      hasLeft = true;
      await home.then((room) => room.leave()).catch(() => {}); // without a connection there is nothing to leave
    },
  };
};
