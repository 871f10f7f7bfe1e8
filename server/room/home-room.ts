import { type Client, CloseCode, ErrorCode, Room, type RoomException, ServerError } from '@colyseus/core';
import { HomeState } from '../../shared/home-state.ts';
import { mayBePlayer } from '../../shared/ids.ts';
import { invalid, joinOptions, reject } from '../../shared/protocol.ts';
import { faultIn, rejectionOf } from '../home/model/faults.ts';
import { limits } from '../settings/config.ts';
import { endIfUnread, guardFrames, rejectFrame } from './around-colyseus/frame-guard.ts';
import {
  buffersOf,
  fitBuffers,
  type SharedHandlers,
  shareHandlers,
  stopPatches,
} from './around-colyseus/lean-rooms.ts';
import type { HomeAuth } from './home-auth.ts';
import { commandIdIn, type HomeHandlers } from './home-messages.ts';
import type { HomeRoomOptions, RoomBounds } from './home-room-options.ts';
import type { Session } from './session/session.ts';
import type { Describe, HomeMessages, Recipient, Show } from './session/session-options.ts';
import { Sessions } from './session/sessions.ts';
import type { SharedInterval } from './shared-interval.ts';
import { showIn, showLevels } from './show-home.ts';

/** A client's options at a join; all others are ignored. */
export interface HomeJoinOptions {
  readonly afterSeq?: number;
  readonly epoch?: string;
  readonly things?: boolean;
}

export type HomeClient = Client<{ messages: HomeMessages; auth: HomeAuth }>;

/** How long a dropped client's seat is reserved. The SDK tries 15 times, in about a minute. */
const RECONNECT_SECONDS = 60;
/** After this code the SDK does not reconnect: it first needs a new token. */
export const TOKEN_ENDED = 4401;
/** How long a shutdown waits for outcomes: longer than a statement may take. A client without an outcome asks again. */
const LAST_ANSWERS_MS = 5_000;

/** The codes after which the SDK reconnects. After all others the client has left or was disconnected. */
const drops: readonly number[] = [CloseCode.GOING_AWAY, CloseCode.NO_STATUS_RECEIVED, CloseCode.ABNORMAL_CLOSURE];

/** Shared by all rooms of a class, so that an idle room costs no set of handlers. */
export interface Shared {
  readonly handlers: SharedHandlers;
  readonly sessionOf: WeakMap<Client, Session>;
  readonly interval: SharedInterval;
  readonly describe: Describe;
}

/** One player's home, for all devices of that player on this process. It contains no rules. */
export class HomeRoom extends Room<{ state: HomeState; client: HomeClient }> {
  override state = new HomeState();
  /** An SDK derives from the types what it may send. All rooms share the handlers. */
  declare readonly messages: HomeHandlers;
  readonly #on: HomeRoomOptions;
  readonly #shared: Shared;
  readonly #sessions: Sessions;
  readonly #show: Show;
  readonly #bounds: RoomBounds;
  #playerId = '';
  #leaveInterval: () => void = () => undefined;
  #isDraining = false;

  /** @internal */
  constructor(options: HomeRoomOptions, shared: Shared) {
    super();
    this.#on = options;
    this.#shared = shared;
    this.#bounds = options.bounds ?? limits.rooms;
    const send = (): void => {
      fitBuffers(buffersOf(this), this.state);
      this.broadcastPatch();
    };
    this.#sessions = new Sessions({
      ...options,
      describe: shared.describe,
      onRules: () => showLevels(this.state, options.catalogue) && send(),
      clientOf: (sessionId) => this.clients.get(sessionId) as Recipient | undefined,
      // The shown state belongs to no player any more. With 4001 clients join again, with 4000 (`CONSENTED`) they do not.
      onErased: (sessionId) => this.clients.get(sessionId)?.leave(CloseCode.SERVER_SHUTDOWN),
    });
    this.#show = showIn(this.state, options.catalogue, send);
    shareHandlers(this, shared.handlers);
    const faults = [{ path: '', message: 'this frame cannot be read, or has lists and objects more than 15 deep' }];
    const unreadable = reject('command/invalid', { faults });
    guardFrames(this, this.#bounds, (client, frame) => rejectFrame(client, frame, unreadable));
  }

  override onCreate(options: { readonly playerId?: unknown }): void {
    if (!mayBePlayer(options.playerId)) throw new ServerError(ErrorCode.AUTH_FAILED, 'auth/refused');
    this.#playerId = options.playerId;
    // State is sent when it changes. One beat for all rooms moves the clock by which messages are counted.
    stopPatches(this);
    this.#leaveInterval = this.#shared.interval.add(() => {
      this.clock.tick();
      this.#disconnect();
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

  /** Throws for another player: with `joinById` a client reaches rooms that its token did not choose. */
  override async onJoin(client: HomeClient, options?: HomeJoinOptions, auth?: HomeAuth): Promise<void> {
    if (auth?.playerId !== this.#playerId) throw new ServerError(ErrorCode.AUTH_FAILED, 'auth/refused');
    // A client with a seat from before the shutdown.
    if (this.#isDraining) throw new ServerError(ErrorCode.APPLICATION_ERROR, 'server/unavailable');
    this.#refuseOneTooMany();
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

  /** The session stays: the client gets later events after its reconnection. */
  override onDrop(client: HomeClient, code?: number): void {
    // A client with a token that has ended may close with any code, or not at all: it gets no seat.
    if (code !== undefined && drops.includes(code) && !this.#endOf(client)) {
      // If the client does not come back, `onLeave` ends it.
      this.allowReconnection(client, RECONNECT_SECONDS).catch(() => {});
    }
  }

  /** Messages may have been lost with the connection; the client sees that by the state's `seq`, and asks with `home:sync`. */
  override async onReconnect(client: HomeClient): Promise<void> {
    // Colyseus does not call `onAuth` for a reserved seat.
    const end = this.#endOf(client);
    if (end) throw new ServerError(ErrorCode.AUTH_FAILED, end);
    // The seat did not count: others may have joined meanwhile.
    this.#refuseOneTooMany();
    const session = this.#sessions.of(client.sessionId);
    if (!session) return;
    this.#shared.sessionOf.set(client, session);
    await session.catchUp();
  }

  override onLeave(client: HomeClient): void {
    this.#shared.sessionOf.delete(client);
    this.#sessions.remove(client.sessionId);
  }

  /** Disconnects the clients after their replies. With 4001 the SDK does not reconnect to this process. */
  override onBeforeShutdown(): void {
    this.#isDraining = true;
    const patience = new Promise<void>((resolve) => this.clock.setTimeout(resolve, LAST_ANSWERS_MS));
    Promise.race([this.#sessions.drain(), patience])
      .then(() => this.disconnect(CloseCode.SERVER_SHUTDOWN))
      .catch((error) => this.#on.onFault('a home room could not be closed', error));
  }

  override onDispose(): void {
    this.#leaveInterval();
    this.#sessions.close();
  }

  /** For a client that joins or reconnects, which is already counted. Colyseus then calls `onLeave`. */
  #refuseOneTooMany(): void {
    if (this.clients.length > this.#bounds.devicesPerPlayer) {
      throw new ServerError(ErrorCode.APPLICATION_ERROR, 'devices/limit');
    }
  }

  /** Disconnects clients that do not read, or with an expired or revoked token. */
  #disconnect(): void {
    for (const client of [...this.clients]) {
      if (endIfUnread(client, this.#bounds.unreadBytes)) continue;
      const end = this.#endOf(client);
      if (end) client.leave(TOKEN_ENDED, end);
    }
  }

  /** Why the client's token has ended; undefined: it has not. */
  #endOf({ auth }: HomeClient): 'auth/expired' | 'auth/refused' | undefined {
    if ((auth?.endsAtMs ?? Number.POSITIVE_INFINITY) <= this.clock.currentTime) return 'auth/expired';
    return auth && this.#on.revoked?.wasRevoked(auth.bearer) ? 'auth/refused' : undefined;
  }

  override onUncaughtException(error: RoomException, methodName: string): void {
    const isRefusal = error.cause instanceof ServerError;
    if (!isRefusal) this.#on.onFault(`the home room's ${methodName} failed`, error);
  }
}
