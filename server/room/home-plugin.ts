import { type Client, CloseCode, RoomPlugin } from '@colyseus/core';
import { callGameNow } from '../../shared/game-code.ts';
import type { HomeState } from '../../shared/home-state.ts';
import type { AnyModules } from '../../shared/module/payloads-of.ts';
import type { Catalogue } from '../../shared/pets/catalogue.ts';
import { invalid, joinOptions } from '../../shared/protocol.ts';
import type { Modules } from '../domain/modules.ts';
import { HostFault } from '../home/model/faults.ts';
import type { Homes } from '../home/model/homes.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { type FrameGuard, guardFrames, onceAttached } from './around-colyseus/frame-guard.ts';
import { onGone, onReconnect } from './around-colyseus/reconnections.ts';
import { type HandlersOf, homeMessages } from './home-messages.ts';
import type { Session } from './session/session.ts';
import { type OnFault, type PushLimits, Sessions, type SessionsOptions } from './session/sessions.ts';
import { describeThings, showIn, showLevels } from './show-home.ts';

export interface HomePluginOptions {
  readonly modules: Modules;
  readonly homes: Homes;
  /** For the levels in a bound state. */
  readonly catalogue: Catalogue;
  /** Maps the result of the host's own `onAuth` to the player. */
  readonly playerId: (auth: never) => string;
  readonly limits: PushLimits;
  /** For the frames of all clients in the room, also with the game's own messages. */
  readonly frames: FrameGuard;
  /** Limits messages by player. */
  readonly rate?: RateLimit | undefined;
  readonly clock: SessionsOptions['clock'];
  readonly onFault: OnFault;
}

/**
 * Homes in a room of another game: each client follows its own home. Adds messages that begin with `home:`, and sends
 * only to that client. Never makes a join fail or throws into the host's room. A client that got nothing at its join
 * (`afterSeq`) asks with `home:sync`; one that reconnects by the room's `allowReconnection` gets what it missed.
 */
export class HomePlugin<Known extends AnyModules = AnyModules> extends RoomPlugin {
  override readonly pluginName = 'kibble' as const;
  /** Public, so that the client's SDK knows the types. */
  override readonly messages: HandlersOf<Known>;
  readonly #on: HomePluginOptions;
  readonly #sessions: Sessions;
  /** The bound states, by session. */
  readonly #states = new Map<string, HomeState>();
  #isWatching = false;

  /** @internal */
  constructor(options: HomePluginOptions) {
    super();
    this.#on = options;
    onceAttached(this, (room) => {
      guardFrames(room, options.frames, (client) => client.leave(CloseCode.WITH_ERROR));
      onGone(room, ({ sessionId }) => {
        this.#sessions.remove(sessionId);
        this.#states.delete(sessionId);
      });
    });
    this.#sessions = new Sessions({
      ...options,
      describe: describeThings(options.modules),
      onRules: () => {
        for (const state of this.#states.values()) showLevels(state, options.catalogue);
      },
      clientOf: (sessionId) => this.room.clients.get(sessionId),
    });
    // One for each command of the modules; the caller's type parameter gives their types.
    this.messages = homeMessages({
      ...options,
      sessionOf: (client) => this.#sessionOf(client),
    }) as HandlersOf<Known>;
  }

  /**
   * Shows the client's home in a part of the room's state from now on; patches leave at the room's own rate. Throws if
   * the home cannot be loaded, or the client has left.
   */
  async bind(client: Client, state: HomeState): Promise<void> {
    const session = this.#sessionOf(client);
    if (!session) throw new Error('only a client that is here and has a player id has a home to show');
    this.#states.set(client.sessionId, state);
    await session.look(showIn(state, this.#on.catalogue));
  }

  override async onJoin(client: Client, options?: unknown): Promise<void> {
    const session = this.#sessionOf(client);
    if (!session) return;
    const { data: since, error } = joinOptions.safeParse(Object(options));
    if (error) client.send('home:rejected', invalid(error));
    if (since?.afterSeq === undefined && !since?.things) return;
    await session.open(since).catch((error) => {
      this.#on.onFault('what a client missed could not be read', error);
      // It has joined all the same, and for hours no commit may come.
      void session.catchUp();
    });
  }

  /** Made on demand: in the first room of a class with `onUncaughtException`, Colyseus does not call the plugins' `onJoin`. */
  #sessionOf(client: Client): Session | undefined {
    const known = this.#sessions.of(client.sessionId);
    if (known) return known;
    // After an await of the game's own it may have left: its end is past, so its session would have none.
    if (this.room && !this.room.clients.get(client.sessionId)) return undefined;
    this.#watchReconnections();
    try {
      const session = this.#sessions.add(client.sessionId, this.#playerIdOf(client));
      session.follow();
      return session;
    } catch (error) {
      this.#on.onFault('a client has no home here', error);
      return undefined;
    }
  }

  /** A client without a session asked for nothing, so it missed nothing. A plugin that is called by hand has no room. */
  #watchReconnections(): void {
    if (this.#isWatching || !this.room) return;
    this.#isWatching = true;
    onReconnect(this.room, ({ sessionId }) => void this.#sessions.of(sessionId)?.catchUp());
  }

  #playerIdOf(client: Client): string {
    try {
      return callGameNow('playerId', () => this.#on.playerId(client.auth as never));
    } catch (fault) {
      throw new HostFault('hook/playerId', fault);
    }
  }
}
