import type { MessageContext, Rejection as Refused } from '@colyseus/core';
import type { Rejection } from '../../../shared/protocol.ts';
import type { Recipient } from './session-options.ts';

/** Receives the outcome of one message. Exactly one of the three is called, once. */
export interface ClientReply<Value> {
  accept(value: Value): void;
  refuse(rejection: Rejection): void;
  /** The world failed: it is unknown whether the message took effect. */
  fail(): void;
}

/** A handler's return value: Colyseus sends the resolved value, or the reason given to `ctx.reject`. */
export type Answered<Value> = PromiseLike<Value | Refused<Rejection>>;

/** A message and its sender. */
interface Received {
  readonly client: Recipient;
  readonly context: MessageContext;
  readonly commandId: string | undefined;
}

type Settled<Value> = { readonly value: Value | Refused<Rejection> } | { readonly error: Error };

/** The client's error for an unknown outcome. It has its own code and no `reason`. */
class OutcomeUnknown extends Error {
  override readonly name = 'unknown';
  readonly code = 'outcome/unknown';

  constructor() {
    super('The outcome is not known. Send the same commandId again.');
    // Colyseus prints the stack of every failed request, but the log has the cause already.
    this.stack = this.message;
  }
}

/**
 * The reply to a client's message. For a `request` it is a special promise: its waiters run inside the call of
 * `accept`, since a `Promise` would let other frames overtake the reply. A plain message gets a message back.
 */
export class ClientAnswer<Value extends object> implements ClientReply<Value>, PromiseLike<Value | Refused<Rejection>> {
  readonly #on: Received;
  #outcome: Settled<Value> | undefined;
  #waiting: (() => void) | undefined;

  constructor(received: Received) {
    this.#on = received;
  }

  accept(value: Value): void {
    if (this.#isRequest()) this.#settle({ value });
    else this.#on.client.send('home:reply', { ...this.#key(), ...(value as Value & { nowMs: number }) });
  }

  refuse(rejection: Rejection): void {
    if (this.#isRequest()) this.#settle({ value: this.#on.context.reject(rejection) });
    else this.#on.client.send('home:rejected', { ...this.#key(), ...rejection });
  }

  fail(): void {
    if (this.#isRequest()) this.#settle({ error: new OutcomeUnknown() });
    else this.refuse({ code: 'server/unavailable', params: { outcome: 'unknown' }, retryable: true });
  }

  // biome-ignore lint/suspicious/noThenProperty: Colyseus calls `then` on a handler's result; see above.
  then<Accepted, Failed = never>(
    accepted?: ((value: Value | Refused<Rejection>) => Accepted | PromiseLike<Accepted>) | null,
    failed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Accepted | Failed> {
    return new Promise((resolve, reject) => {
      const tell = (): void => {
        const outcome = this.#outcome;
        if (outcome && 'value' in outcome) resolve(accepted ? accepted(outcome.value) : (outcome.value as Accepted));
        else if (failed) resolve(failed(outcome?.error));
        else reject(outcome?.error);
      };
      // Not written in place: V8 makes a function right of `this.x =` old, and it would retain the reply (see `send`).
      this.#waiting = tell;
      if (this.#outcome) tell();
    });
  }

  #settle(outcome: Settled<Value>): void {
    this.#outcome = outcome;
    this.#waiting?.();
  }

  /** All `send` messages share one context without an id. */
  #isRequest(): boolean {
    return this.#on.context.id !== undefined;
  }

  #key(): { readonly commandId?: string } {
    const { commandId } = this.#on;
    return commandId === undefined ? {} : { commandId };
  }
}
