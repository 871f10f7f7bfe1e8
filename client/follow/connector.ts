import { backOffMs } from './back-off.ts';
import { Link } from './link.ts';
import type { Platform } from './platform.ts';
import type { SdkClient, SdkRoom } from './sdk.ts';

/**
 * `waiting`: until the next attempt, at `retryAtMs` of the platform's time; `code` is the server's reason for the last
 * refusal, if it gave one (`inventory/refused`, `server/unavailable`, ...); `error` is what the sign-in or the join
 * threw. `refused`: the server refused the token or the sign-in (`code`, `auth/...`), also after the game's own `signIn`
 * was called again. No attempt follows until `signInAnew()` or `resync()`. The token is retained, since the fault may be
 * the server's.
 */
export type Connection =
  | { readonly phase: 'connecting' | 'online' | 'closed' }
  | { readonly phase: 'waiting'; readonly retryAtMs: number; readonly code?: string; readonly error?: unknown }
  | { readonly phase: 'refused'; readonly code: string };

interface SignIn {
  readonly ended: Promise<void>;
  /** The token in use when it began. */
  readonly replaces: string | undefined;
  readonly atMs: number;
}

export interface ConnectorOptions {
  readonly platform: Platform;
  readonly client: SdkClient;
  readonly tokens: { load(): string | undefined; save(token: string): void } | undefined;
  readonly signIn: () => Promise<unknown>;
  /** `signIn` gives the same player another token; a guest would become another player. */
  readonly canRenew: boolean;
  readonly join: () => Promise<SdkRoom>;
  /** Called right after a join, before any of its messages. */
  readonly onRoom: (link: Link) => void;
  readonly onLost: () => void;
  readonly onConnection: (connection: Connection) => void;
  readonly onFault: (type: string, thrown: unknown) => void;
}

/** A join that is silent for longer has failed: without a response the SDK waits forever. */
const JOIN_MS = 15_000;
/** After this time without an answer the next attempt signs in again. */
const SIGN_IN_MS = 60_000;
/**
 * By client, since a follower that was closed may still sign in: the token of the last join, or the server's newer one.
 * A sign-in that began before it and ends late changes nothing.
 */
const inUse = new WeakMap<SdkClient, string | undefined>();
/** The form of a server's code; every other error comes from the SDK or the network. */
const isCode = /^[a-z]+\/[a-z-]+$/;
/** Colyseus' error after `onAuth` refused; its text is the game's. */
const isRefusedToken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 525;
/** A connection that lasted this long was good: its loss counts as the first failure. */
const GOOD_MS = 10_000;

/**
 * Keeps the player connected. After any loss, whatever the close code, there is one way back: a new join behind the
 * last event that was read. The SDK's own reconnection is off: it asks the same process (which may be gone), gives up,
 * and has no jitter in its waits.
 */
export class Connector {
  readonly #on: ConnectorOptions;
  #connection: Connection = { phase: 'connecting' };
  #link: Link | undefined;
  /** Counts attempts and connections: callbacks of earlier ones are ignored. */
  #life = 0;
  #failures = 0;
  /** `refused`: another token is requested before the next join. `renewed`: that token is in use. */
  #token: 'good' | 'refused' | 'renewed' = 'good';
  /** Shared by all attempts: each sign-in makes another guest, whose token the SDK stores by itself. */
  #signingIn: SignIn | undefined;
  #cancel = (): void => {};

  constructor(options: ConnectorOptions) {
    this.#on = options;
  }

  get connection(): Connection {
    return this.#connection;
  }

  start(): void {
    const token = this.#on.tokens?.load();
    if (token) this.#on.client.auth.token = token;
    this.#connect();
  }

  /** A part of the state is here: a slow connection is given more time. */
  giveTime(): void {
    if (this.#connection.phase === 'connecting') this.#after(JOIN_MS, () => this.#lost());
  }

  /** The room has sent its state. */
  confirm(): void {
    this.#token = 'good';
    this.#after(GOOD_MS, () => {
      this.#failures = 0;
    });
    this.#become({ phase: 'online' });
  }

  /** Replaces a connection that looks dead, or cannot follow a home (`code`: why). */
  drop(code?: string): void {
    this.#link?.close(false);
    this.#lost(code);
  }

  /** Skips the wait. If an attempt that began before the network was back fails, the next one is soon. */
  hurry(): void {
    const { phase } = this.#connection;
    this.#failures = 0;
    if (phase === 'waiting' || phase === 'refused') this.#connect();
  }

  signInAnew(): void {
    if (this.#isClosed) return;
    this.#on.client.auth.token = '';
    this.hurry();
  }

  close(): void {
    this.#life += 1;
    this.#cancel();
    this.#link?.close(true);
    this.#on.onLost();
    this.#become({ phase: 'closed' });
  }

  async #connect(): Promise<void> {
    const life = ++this.#life;
    // Not at the very start: the listener has no follower yet.
    if (this.#connection.phase !== 'connecting') this.#become({ phase: 'connecting' });
    // The game may have closed it just now.
    if (life !== this.#life) return;
    this.giveTime();
    try {
      await this.#signIn();
      if (life !== this.#life) return;
      inUse.set(this.#on.client, this.#on.client.auth.token);
      this.#enter(await this.#on.join(), life);
    } catch (error) {
      if (life === this.#life) this.#fail(error);
    }
  }

  async #signIn(): Promise<void> {
    const { client, platform } = this.#on;
    if (client.auth.token && this.#token !== 'refused') return;
    const [replaces, nowMs] = [inUse.get(client), platform.nowMs()];
    const pending = this.#signingIn;
    if (!pending || pending.replaces !== replaces || nowMs - pending.atMs >= SIGN_IN_MS) {
      const ended = this.#requestToken(replaces).finally(() => {
        if (this.#signingIn?.ended === ended) this.#signingIn = undefined;
      });
      this.#signingIn = { ended, replaces, atMs: nowMs };
    }
    await this.#signingIn?.ended;
  }

  async #requestToken(replaces: string | undefined): Promise<void> {
    const { client, tokens, signIn } = this.#on;
    const isRefused = this.#token === 'refused';
    await signIn();
    const now = inUse.get(client);
    if (now !== replaces) {
      client.auth.token = now ?? '';
      return;
    }
    if (isRefused) this.#token = 'renewed';
    if (client.auth.token) tokens?.save(client.auth.token);
  }

  #enter(room: SdkRoom, life: number): void {
    const { client, tokens, platform, onRoom, onFault } = this.#on;
    const onUnreadable = () => life === this.#life && this.drop();
    const link = new Link(room, platform, { onFault, onUnreadable });
    room.reconnection.enabled = false;
    if (life !== this.#life) {
      link.close(true);
      return;
    }
    link.listen('home:token', ({ token }: { readonly token: string }) => {
      client.auth.token = token;
      inUse.set(client, token);
      tokens?.save(token);
    });
    room.onLeave((code) => {
      link.lose(code);
      if (life === this.#life) this.#lost();
    });
    this.#link = link;
    onRoom(link);
  }

  #fail(error: unknown): void {
    const text = error instanceof Error ? error.message : '';
    const isAuth = text.startsWith('auth/');
    if (!isAuth && !isRefusedToken(error)) {
      this.#lost(isCode.test(text) ? text : undefined, error);
      return;
    }
    const { canRenew, client } = this.#on;
    if (canRenew && client.auth.token && this.#token === 'good') {
      this.#token = 'refused';
      this.#connect();
      return;
    }
    this.#token = 'good';
    this.#cancel();
    this.#become({ phase: 'refused', code: isAuth ? text : 'auth/refused' });
  }

  #lost(code?: string, error?: unknown): void {
    const { platform, onLost } = this.#on;
    this.#life += 1;
    this.#link?.close(false);
    this.#link = undefined;
    onLost();
    const waitMs = backOffMs(this.#failures, platform.random());
    this.#failures += 1;
    this.#after(waitMs, () => this.#connect());
    this.#become({
      phase: 'waiting',
      retryAtMs: platform.nowMs() + waitMs,
      ...(code && { code }),
      ...(error !== undefined && { error }),
    });
  }

  get #isClosed(): boolean {
    return this.#connection.phase === 'closed';
  }

  /** Closed stays closed: every way back needs a timer or another phase. */
  #after(ms: number, act: () => void): void {
    this.#cancel();
    if (!this.#isClosed) this.#cancel = this.#on.platform.after(ms, act);
  }

  #become(connection: Connection): void {
    if (this.#isClosed) return;
    this.#connection = connection;
    this.#on.onConnection(connection);
  }
}
