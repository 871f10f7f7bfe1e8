import type { HomeEvent } from '../../../shared/event.ts';
import type { Reply } from '../../../shared/protocol.ts';
import type { Answer } from './answer.ts';
import type { Recipient } from './recipient.ts';

export interface Pending {
  readonly answer: Answer<Reply>;
  /** Whom the reply reaches: another client than the one connected now is gone. */
  readonly recipient: Recipient;
  readonly ended: Promise<void>;
}

/** The commands of one session that have no reply yet, by `commandId`. */
export class PendingAnswers {
  /** Made for the first one: most sessions of an idle server never ask for anything. */
  #pending: Map<string, Pending & { readonly end: () => void }> | undefined;

  get(commandId: string): Pending | undefined {
    return this.#pending?.get(commandId);
  }

  add(commandId: string, answer: Answer<Reply>, recipient: Recipient): Pending {
    const { promise, resolve } = Promise.withResolvers<void>();
    const pending = { answer, recipient, ended: promise, end: resolve };
    this.#pending ??= new Map();
    this.#pending.set(commandId, pending);
    return pending;
  }

  /** To be called right before the reply is sent. */
  end(commandId: string): void {
    this.#pending?.get(commandId)?.end();
    this.#pending?.delete(commandId);
  }

  endAll(): void {
    for (const commandId of this.#pending?.keys() ?? []) this.end(commandId);
  }

  /** Ends when all that are pending now have their replies. */
  async answered(): Promise<void> {
    await Promise.all([...(this.#pending?.values() ?? [])].map(({ ended }) => ended));
  }
}

/** Commands of one session that were sent to the store, and whose commit was not announced yet, by `commandId`. */
export class CommandsInFlight {
  /** Made for the first one. */
  #works: Map<string, Promise<unknown>> | undefined;

  /** `work` ends when followers have heard of the commit. */
  follow<Value>(commandId: string, work: Promise<Value>): Promise<Value> {
    const followed = work.finally(() => this.#works?.delete(commandId));
    this.#works ??= new Map();
    this.#works.set(commandId, followed);
    return followed;
  }

  /** The log may know of a commit of ours before we do: of those that these events belong to, the ends. */
  of(events: readonly HomeEvent[]): readonly Promise<unknown>[] {
    return events.flatMap(({ commandId = '' }) => this.#works?.get(commandId) ?? []);
  }
}
