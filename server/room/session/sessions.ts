import { mayBePlayer, PLAYER_ID_RULE } from '../../../shared/ids.ts';
import { shown } from '../../../shared/options/shown.ts';
import type { Homes } from '../../home/model/homes.ts';
import { Session } from './session.ts';
import type { Describe, Recipient, SessionOptions } from './session-options.ts';

/** Reports a fault of the world or of ours that cannot be sent to a client. */
export type OnFault = (message: string, error: unknown) => void;

/** The bounds of one push of missed events, so that a long absence does not make a huge message. */
export interface PushLimits {
  readonly joinMax: number;
  readonly joinBytes: number;
}

export interface SessionsOptions {
  readonly homes: Homes;
  readonly limits: PushLimits;
  readonly describe: Describe;
  readonly clock: SessionOptions['clock'];
  readonly onFault: OnFault;
  /** Called after the player of a session was erased. */
  readonly onErased?: (sessionId: string) => void;
  /** Called after the rules changed. */
  readonly onRules: () => void;
  /** The client that is connected under this session id now. */
  readonly clientOf: (sessionId: string) => Recipient | undefined;
}

/** The sessions of one room's clients, by session id, which survives a reconnection. */
export class Sessions {
  readonly #on: SessionsOptions;
  readonly #page: SessionOptions['page'];
  readonly #sessions = new Map<string, Session>();
  #stopRules: (() => void) | undefined;

  constructor(options: SessionsOptions) {
    this.#on = options;
    this.#page = { limit: options.limits.joinMax, maxBytes: options.limits.joinBytes };
  }

  of(sessionId: string): Session | undefined {
    return this.#sessions.get(sessionId);
  }

  /** Throws for an invalid player id, which would not fit into keys and paths. */
  add(sessionId: string, playerId: unknown): Session {
    if (typeof playerId !== 'string') throw new Error(`the player id is ${shown(playerId)}: it must be text`);
    if (!mayBePlayer(playerId)) throw new Error(PLAYER_ID_RULE);
    const { homes, onFault, onErased, onRules, clientOf, clock, describe } = this.#on;
    const session = new Session({
      homes,
      onFault,
      playerId,
      page: this.#page,
      describe,
      clock,
      recipient: () => clientOf(sessionId),
      onErased: onErased && (() => onErased(sessionId)),
    });
    this.remove(sessionId);
    this.#sessions.set(sessionId, session);
    this.#stopRules ??= homes.onRules?.((changed) => {
      for (const one of this.#sessions.keys()) {
        for (const rules of changed) clientOf(one)?.send('home:rules', rules);
      }
      onRules();
    });
    return session;
  }

  remove(sessionId: string): void {
    this.#sessions.get(sessionId)?.close();
    this.#sessions.delete(sessionId);
    if (this.#sessions.size > 0) return;
    this.#stopRules?.();
    this.#stopRules = undefined;
  }

  /** For all clients: see `Session.drain`. */
  async drain(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.drain()));
  }

  close(): void {
    for (const sessionId of this.#sessions.keys()) this.remove(sessionId);
  }
}
