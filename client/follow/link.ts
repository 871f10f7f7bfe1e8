import type { Rejection } from '../../shared/protocol.ts';
import type { Platform } from './platform.ts';
import type { SdkRoom } from './sdk.ts';

/** The outcome of a request. `silent`: no reply, so its effect is unknown. `fault`: the same, but the server lives. */
export type RequestOutcome<Value> =
  | { readonly kind: 'accepted'; readonly value: Value }
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  | { readonly kind: 'silent' | 'fault' };

/** How long a reply may take. The server ends its own work after 3 s. */
const ANSWER_MS = 8_000;

/** By close code: the refusal of a frame that is too large, or is unreadable, or a plain message without a handler. */
const thrownOutBy: Readonly<Record<number, Rejection['code']>> = { 1009: 'command/too-large', 4002: 'command/invalid' };

type Settle = (asked: RequestOutcome<unknown>) => void;

export interface LinkEvents {
  readonly onFault: (type: string, thrown: unknown) => void;
  readonly onUnreadable: () => void;
}

/** One connection to a room, from the join to its loss. Never throws. */
export class Link {
  readonly room: SdkRoom;
  readonly #platform: Platform;
  readonly #on: LinkEvents;
  readonly #giveUps = new Set<() => void>();
  /** By `commandId`: plain messages without a reply. */
  readonly #plain = new Map<unknown, Settle>();
  #isOpen = true;
  /** The room disconnected this client, as it does after a frame that it does not accept: the code of the refusal. */
  thrownOutFor: Rejection['code'] | undefined;

  constructor(room: SdkRoom, platform: Platform, on: LinkEvents) {
    this.room = room;
    this.#platform = platform;
    this.#on = on;
    if (this.isPlain) {
      this.listen('home:reply', ({ commandId, ...value }: Keyed) => this.#plain.get(commandId)?.(acceptedAs(value)));
      this.listen('home:rejected', ({ commandId, ...rejection }: Keyed & Rejection) =>
        this.#plain.get(commandId)?.(rejectedAs(rejection)),
      );
    }
  }

  /** After a message that cannot be read the connection is replaced, because the shown home may lack a change. */
  listen<Message>(type: string, listener: (message: Message) => void): void {
    this.room.onMessage<Message>(type, (message) => {
      const isRead = this.read(type, () => {
        listener(message);
        return true;
      });
      if (!isRead) this.#on.onUnreadable();
    });
  }

  /** Reports what has another shape than the protocol's, and returns undefined. An error in the SDK would end a process of Node. */
  read<Value>(type: string, reader: () => Value): Value | undefined {
    try {
      return reader();
    } catch (thrown) {
      this.#on.onFault(type, thrown);
      return undefined;
    }
  }

  /** The SDK has no requests: everything is sent as plain messages. */
  get isPlain(): boolean {
    return !this.room.request;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  ask<Value>(type: string, payload: object): Promise<RequestOutcome<Value>> {
    if (!this.#isOpen) return Promise.resolve({ kind: 'silent' });
    return new Promise((resolve) => {
      const commandId = 'commandId' in payload ? payload.commandId : this.#platform.uniqueId();
      const settle: Settle = (asked) => {
        cancel();
        this.#giveUps.delete(giveUp);
        this.#plain.delete(commandId);
        resolve(asked as RequestOutcome<Value>);
      };
      const giveUp = (): void => settle({ kind: 'silent' });
      const cancel = this.#platform.after(ANSWER_MS, giveUp);
      this.#giveUps.add(giveUp);
      if (this.isPlain) {
        this.#plain.set(commandId, settle);
        this.room.send?.(type, { ...payload, commandId });
        return;
      }
      // A little longer than our time-out, which alone decides.
      this.room.request?.(type, payload, { timeout: ANSWER_MS + 1_000 }).then(
        (value) => settle(acceptedAs(value)),
        (error: unknown) => settle(whyOf(error, type)),
      );
    });
  }

  /** Stops listening and sending. The socket may take its time to close, or be dead already. */
  close(isConsented: boolean): void {
    if (!this.#isOpen) return;
    this.lose();
    this.room.removeAllListeners();
    try {
      this.room.leave(isConsented).catch(() => {});
    } catch {
      // The socket is already gone.
    }
  }

  /** The connection was lost: no message can be sent, and no reply comes any more. */
  lose(code = 0): void {
    this.#isOpen = false;
    this.thrownOutFor = thrownOutBy[code];
    for (const giveUp of [...this.#giveUps]) giveUp();
  }
}

interface Keyed {
  readonly commandId?: string;
}

const acceptedAs = (value: unknown): RequestOutcome<unknown> => ({ kind: 'accepted', value });

/** The reply to a plain message reports an unknown outcome as a refusal. */
const rejectedAs = (rejection: Rejection): RequestOutcome<never> =>
  rejection.params.outcome === 'unknown' ? { kind: 'fault' } : { kind: 'rejected', rejection };

/** A refusal by this side: the room has no handler for it, or no such frame can reach one. A retry would end the same way. */
export const refusedByClient = (type: string, code: Rejection['code'] = 'command/invalid', path = 'type') => ({
  kind: 'rejected' as const,
  rejection: { code, params: { faults: [{ path, message: `${type} is no message of this room` }] }, retryable: false },
});

/** The SDK's errors: `reason` is the server's refusal; a `code` is its fault; the rest is silence. */
const whyOf = (error: unknown, type: string): RequestOutcome<never> => {
  if (typeof error !== 'object' || error === null) return { kind: 'silent' };
  if ('name' in error && error.name === 'no_handler') return refusedByClient(type);
  if ('reason' in error && isRejection(error.reason)) return { kind: 'rejected', rejection: error.reason };
  return { kind: 'code' in error ? 'fault' : 'silent' };
};

const isRejection = (reason: unknown): reason is Rejection =>
  typeof reason === 'object' && reason !== null && 'code' in reason && 'retryable' in reason;
