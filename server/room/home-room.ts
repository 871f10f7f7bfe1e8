import { type Client, CloseCode, ErrorCode, Room, type RoomException, ServerError } from '@colyseus/core';
import { HomeState } from '../../shared/home-state.ts';
import { mayBePlayer } from '../../shared/ids.ts';
import { invalid, joinOptions, reject } from '../../shared/protocol.ts';
import { faultIn, rejectionOf } from '../home/model/faults.ts';
import { limits } from '../settings/config.ts';
import { guardFrames, isDeaf } from './around-colyseus/frame-guard.ts';
import { buffersOf, fitBuffers, keepStill, type SharedHandlers, shareHandlers } from './around-colyseus/lean-rooms.ts';
import type { HomeAuth } from './home-auth.ts';
import { commandIdIn, type HomeHandlers } from './home-messages.ts';
import type { HomeRoomOptions, RoomBounds } from './home-room-options.ts';
import type { Session } from './session/session.ts';
import type { Describe, HomeMessages, Recipient, Show } from './session/session-options.ts';
import { Sessions } from './session/sessions.ts';
import type { SharedInterval } from './shared-interval.ts';
import { showIn } from './show-home.ts';

/** What a client may say when it joins; everything else is ignored. */
export interface HomeJoinOptions {
  readonly afterSeq?: number;
  readonly epoch?: string;
  readonly things?: boolean;
}

export type HomeClient = Client<{ messages: HomeMessages; auth: HomeAuth }>;

/** How long a dropped client's place is kept. The SDK tries 15 times, in about a minute. */
const RECONNECT_SECONDS = 60;
/** The SDK does not come back by itself after this one: it needs a new token first. */
export const TOKEN_ENDED = 4401;
/** How long a shutdown waits for outcomes: longer than a statement may take. Who has none by then asks again. */
const LAST_ANSWERS_MS = 5_000;

/** The codes after which the SDK comes back by itself. All others end a client that left, or that was thrown out. */
const drops: readonly number[] = [CloseCode.GOING_AWAY, CloseCode.NO_STATUS_RECEIVED, CloseCode.ABNORMAL_CLOSURE];

/** What all rooms of a class have in common, so that an idle one does not cost a set of handlers. */
export interface Shared {
  readonly handlers: SharedHandlers;
  readonly sessionOf: WeakMap<Client, Session>;
  readonly beat: SharedInterval;
  readonly describe: Describe;
}

/** One player's home, for all devices of that player which are connected to this process. No rules in here. */
export class HomeRoom extends Room<{ state: HomeState; client: HomeClient }> {
  override state = new HomeState();
  /** By their types an SDK knows what it may send. The handlers are shared by all rooms. */
  declare readonly messages: HomeHandlers;
  readonly #on: HomeRoomOptions;
  readonly #shared: Shared;
  readonly #sessions: Sessions;
  readonly #show: Show;
  readonly #bounds: RoomBounds;
  #playerId = '';
  #leaveBeat: () => void = () => undefined;
  #isDraining = false;

  /** @internal */
  constructor(options: HomeRoomOptions, shared: Shared) {
    super();
    this.#on = options;
    this.#shared = shared;
    this.#bounds = options.bounds ?? limits.rooms;
    this.#sessions = new Sessions({
      ...options,
      describe: shared.describe,
      clientOf: (sessionId) => this.clients.get(sessionId) as Recipient | undefined,
      // The state that the room shows is nobody's any more.
      onErased: (sessionId) => this.clients.get(sessionId)?.leave(CloseCode.CONSENTED),
    });
    this.#show = showIn(this.state, options.catalogue, () => {
      fitBuffers(buffersOf(this), this.state);
      this.broadcastPatch();
    });
    shareHandlers(this, shared.handlers);
    const faults = [{ path: '', message: 'this frame cannot be read' }];
    const unreadable = reject('command/invalid', { faults });
    guardFrames(this, this.#bounds, (client) => client.send('home:rejected', unreadable));
  }

  override onCreate(options: { readonly playerId?: unknown }): void {
    if (!mayBePlayer(options.playerId)) throw new ServerError(ErrorCode.AUTH_FAILED, 'auth/refused');
    this.#playerId = options.playerId;
    // State is sent when it changes; the second's beat moves the clock that messages are counted by. It is one for all rooms.
    keepStill(this);
    this.#leaveBeat = this.#shared.beat.add(() => {
      this.clock.tick();
      this.#letGo();
    });
    this.onMessage('*', (client, type, message) => {
      const faults = [{ path: 'type', message: `${String(type).slice(0, 64)} is no message of this room` }];
      const commandId = commandIdIn(message);
      client.send('home:rejected', {
        ...(commandId === undefined ? {} : { commandId }),
        ...reject('command/invalid', { faults }),
      });
    });
  }

  /** Throws for a stranger: by `joinById` a client reaches rooms that were not chosen by its token. */
  override async onJoin(client: HomeClient, options?: HomeJoinOptions, auth?: HomeAuth): Promise<void> {
    if (auth?.playerId !== this.#playerId) throw new ServerError(ErrorCode.AUTH_FAILED, 'auth/refused');
    // With a seat from before the shutdown began.
    if (this.#isDraining) throw new ServerError(ErrorCode.APPLICATION_ERROR, 'server/unavailable');
    // It is among them already.
    if (this.clients.length > this.#bounds.devicesPerPlayer) {
      throw new ServerError(ErrorCode.APPLICATION_ERROR, 'devices/limit');
    }
    const session = this.#sessions.add(client.sessionId, auth.playerId);
    this.#shared.sessionOf.set(client, session);
    const since = joinOptions.safeParse(options ?? {});
    if (!since.success) client.send('home:rejected', invalid(since.error));
    try {
      const token = auth.guest && (await this.#on.tokens.signGuest(auth.guest.sub, auth.guest));
      if (token !== undefined) client.send('home:token', { token });
      await session.open(since.data ?? {}, this.#show);
    } catch (error) {
      this.onLeave(client);
      this.#on.onFault('a home could not be had for a join', faultIn(error));
      throw new ServerError(ErrorCode.APPLICATION_ERROR, rejectionOf(error).code);
    }
  }

  /** The session stays: what happens meanwhile is told after the reconnect. */
  override onDrop(client: HomeClient, code?: number): void {
    if (code !== undefined && drops.includes(code)) {
      // It ends in `onLeave` when nobody comes back.
      this.allowReconnection(client, RECONNECT_SECONDS).catch(() => {});
    }
  }

  /**
   * What was on its way when the connection broke may be lost; the client sees it by the state's `seq` and asks with
   * `home:sync`.
   */
  override async onReconnect(client: HomeClient): Promise<void> {
    const session = this.#sessions.of(client.sessionId);
    if (!session) return;
    this.#shared.sessionOf.set(client, session);
    await session.catchUp();
  }

  override onLeave(client: HomeClient): void {
    this.#shared.sessionOf.delete(client);
    this.#sessions.remove(client.sessionId);
  }

  /** Lets the clients go when they have their replies. With 4001 the SDK does not try to come back to this process. */
  override onBeforeShutdown(): void {
    this.#isDraining = true;
    const patience = new Promise<void>((resolve) => this.clock.setTimeout(resolve, LAST_ANSWERS_MS));
    Promise.race([this.#sessions.drain(), patience])
      .then(() => this.disconnect(CloseCode.SERVER_SHUTDOWN))
      .catch((error) => this.#on.onFault('a home room could not be closed', error));
  }

  override onDispose(): void {
    this.#leaveBeat();
    this.#sessions.close();
  }

  /** Clients that do not read, and those whose token has ended or was revoked. */
  #letGo(): void {
    const { currentTime: nowMs } = this.clock;
    for (const client of [...this.clients]) {
      if (isDeaf(client, this.#bounds.unreadBytes)) continue;
      if ((client.auth?.endsAtMs ?? nowMs + 1) <= nowMs) client.leave(TOKEN_ENDED, 'auth/expired');
      else if (client.auth && this.#on.revoked?.wasRevoked(client.auth.bearer))
        client.leave(TOKEN_ENDED, 'auth/refused');
    }
  }

  override onUncaughtException(error: RoomException, methodName: string): void {
    const isRefusal = error.cause instanceof ServerError;
    if (!isRefusal) this.#on.onFault(`the home room's ${methodName} failed`, error);
  }
}
