import type { MessageContext, Rejection as Refused } from '@colyseus/core';
import type { Rejection } from '../../../shared/protocol.ts';
import type { Recipient } from './session-options.ts';

/** Where the outcome of one message goes. Exactly one of the three is called, once. */
export interface ClientReply<Value> {
  accept(value: Value): void;
  refuse(rejection: Rejection): void;
  /** The world failed: whether it took effect is not known. */
  fail(): void;
}

/** As a room's handlers return it: Colyseus sends what it resolves with, or the reason given to `ctx.reject`. */
export type Answered<Value> = PromiseLike<Value | Refused<Rejection>>;

/** A message, and from whom it came. */
interface Received {
  readonly client: Recipient;
  readonly context: MessageContext;
  readonly commandId: string | undefined;
}

type Settled<Value> = { readonly value: Value | Refused<Rejection> } | { readonly error: Error };

/** What the client reads when nobody knows the outcome. It has no `reason`, and its own code. */
class OutcomeUnknown extends Error {
  override readonly name = 'unknown';
  readonly code = 'outcome/unknown';

  constructor() {
    super('The outcome is not known. Send the same commandId again.');
    // Colyseus prints the stack of every failed request; the cause is in the log already.
    this.stack = this.message;
  }
}

/**
 * The reply to a message of a client. To a `request` it is a promise of its own kind: it tells who waits in the very
 * call of `accept`, where a `Promise` would let other frames pass the reply. A plain message gets a message back.
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

  // biome-ignore lint/suspicious/noThenProperty: Colyseus calls `then` on what a handler returns; see above.
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
      // Not written here: a function right of `this.x =` is made old, and keeps the reply (see `send`).
      this.#waiting = tell;
      if (this.#outcome) tell();
    });
  }

  #settle(outcome: Settled<Value>): void {
    this.#outcome = outcome;
    this.#waiting?.();
  }

  /** `send` shares one context without an id. */
  #isRequest(): boolean {
    return this.#on.context.id !== undefined;
  }

  #key(): { readonly commandId?: string } {
    const { commandId } = this.#on;
    return commandId === undefined ? {} : { commandId };
  }
}
