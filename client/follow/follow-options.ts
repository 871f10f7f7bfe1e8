import type { Connection } from './connector.ts';
import type { Cursor } from './news.ts';
import type { Platform } from './platform.ts';
import type { JoinOptions, SdkClient, SdkRoom } from './sdk.ts';
import type { Each, EventIn, PetsAlone, SeenModules } from './seen-modules.ts';
import type { ShownHome } from './shown-home.ts';

export interface FollowOptions<Modules extends SeenModules = PetsAlone> {
  /** The Colyseus SDK's `Client`. */
  readonly client: SdkClient;
  /** Keeps the player's token, so that the same player comes back. */
  readonly tokens?: { load(): string | undefined; save(token: string): void };
  /**
   * Default: as a guest, by the SDK's `auth.signInAnonymously()`. The token is then expected in `client.auth.token`. One of
   * your own is asked once more where the server refuses the token (code 525, or a text that begins with `auth/`).
   */
  readonly signIn?: () => Promise<unknown>;
  /** Default: the room `home`. A game with rooms of its own joins one of those, with `since` among its options. */
  readonly join?: (since: JoinOptions) => Promise<SdkRoom>;
  /** What was read up to here is known already: the rest is told at the first join. Default: from now on. */
  readonly since?: Cursor;
  /** After each change, with a value of its own. */
  readonly onHome?: (home: ShownHome<Modules>) => void;
  /** Each event once, in `seq` order, behind the things that it made. `isMissed`: it happened while there was no connection. */
  readonly onEvents?: (events: readonly EventIn<Modules>[], isMissed: boolean) => void;
  readonly onConnection?: (connection: Connection) => void;
  /** The log is another one than before (a database put back, another player): forget what you know of it. */
  readonly onNewLog?: (start: Cursor) => void;
  /** Of each module the version that this client was made for. */
  readonly versions?: { readonly [M in Each<Modules> as M['name']]: number };
  /** Things came of a module that is not in `versions`, or newer there: told once of each. They are shown all the same. */
  readonly onOutdated?: (module: string) => void;
  readonly platform?: Platform;
}
