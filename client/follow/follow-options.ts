import type { HomeState } from '../../shared/home-state.ts';
import type { HomeEvent } from '../../shared/pets/protocol.ts';
import type { Connection } from './connector.ts';
import type { Cursor } from './news.ts';
import type { Platform } from './platform.ts';
import type { JoinOptions, SdkClient, SdkRoom } from './sdk.ts';
import type { ShownHome } from './shown-home.ts';

export interface FollowOptions {
  /** The Colyseus SDK's `Client`. */
  readonly client: SdkClient;
  /** Keeps the player's token, so that the same player comes back. */
  readonly tokens?: { load(): string | undefined; save(token: string): void };
  /** Default: as a guest, by the SDK's `auth.signInAnonymously()`. The token is then expected in `client.auth.token`. */
  readonly signIn?: () => Promise<unknown>;
  /** Default: the room `home`. A game with rooms of its own joins one of those. */
  readonly join?: (since: JoinOptions) => Promise<SdkRoom>;
  /** Default: the room's whole state. Undefined when the room shows no home: then there are only events. Not called in a room without a state. */
  readonly homeIn?: (state: unknown) => HomeState | undefined;
  /** What was read up to here is known already: the rest is told at the first join. Default: from now on. */
  readonly since?: Cursor;
  /** After each change, with a value of its own. */
  readonly onHome?: (home: ShownHome) => void;
  /** Each event once, in `seq` order, behind the state that has it. `isMissed`: it happened while there was no connection. */
  readonly onEvents?: (events: readonly HomeEvent[], isMissed: boolean) => void;
  readonly onConnection?: (connection: Connection) => void;
  /** The log is another one than before (a database put back, another player): forget what you know of it. */
  readonly onNewLog?: (start: Cursor) => void;
  readonly platform?: Platform;
}
