import type { HomeEvent } from '../../../shared/event.ts';
import { type Reply, reject } from '../../../shared/protocol.ts';
import type { HomeOrder, Homes } from '../../home/model/homes.ts';
import type { ClientReply } from './answer.ts';
import type { Recipient } from './session-options.ts';

interface Dependencies {
  readonly homes: Pick<Homes, 'handle'>;
  readonly onFault: (message: string, error: unknown) => void;
}

/** The commands of one session, until each is accepted by a commit that carries its reply, or refused. */
export class Commands {
  readonly #on: Dependencies;
  readonly #pending = new PendingAnswers();
  readonly #inFlight = new CommandsInFlight();
  #isDraining = false;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Never throws: the reply is told of everything. */
  async give(order: HomeOrder, answer: ClientReply<Reply>, recipient: Recipient): Promise<void> {
    const { commandId } = order;
    const { homes, onFault } = this.#on;
    // The same id sent twice at once: a commit names ids only, so the earlier one must have its reply first.
    for (let earlier = this.#pending.get(commandId); earlier; earlier = this.#pending.get(commandId)) {
      await earlier.ended;
    }
    if (this.#isDraining) return answer.refuse(reject('server/unavailable'));
    const pending = this.#pending.add(commandId, answer, recipient);
    try {
      const [outcome] = await this.#inFlight.follow(commandId, homes.handle([order]));
      if (!outcome) throw new Error('one order must have one outcome');
      // An accepted command has its reply from the commit, or will have it when the log is read.
      if (outcome.ok || this.#pending.get(commandId) !== pending) return;
      this.#pending.end(commandId);
      answer.refuse(outcome.error);
    } catch (error) {
      onFault('a command failed', error);
      if (this.#pending.get(commandId) !== pending) return;
      this.#pending.end(commandId);
      answer.fail();
    }
  }

  /** For the caller that sends the reply right now: it is not pending any more. */
  taken(commandId: string): Pending | undefined {
    const pending = this.#pending.get(commandId);
    if (pending) this.#pending.end(commandId);
    return pending;
  }

  /** Ends when followers have heard of the commits of ours that these events belong to. */
  async landed(events: readonly HomeEvent[]): Promise<void> {
    await Promise.allSettled(this.#inFlight.of(events));
  }

  /** Accepts none any more, and ends when the accepted ones have their replies. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#pending.answered();
  }

  end(): void {
    this.#pending.endAll();
  }
}

export interface Pending {
  readonly answer: ClientReply<Reply>;
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

  add(commandId: string, answer: ClientReply<Reply>, recipient: Recipient): Pending {
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

/** Runs asynchronous acts one after the other, in the order of the calls; each call returns or throws what its act does. */
export const serialQueue = (): (<Done>(act: () => Promise<Done>) => Promise<Done>) => {
  /** Made by the first call: most sessions of an idle server ask for nothing. */
  let last: Promise<unknown> | undefined;
  return (act) => {
    const done = (last ?? Promise.resolve()).then(act);
    last = done.catch(() => undefined);
    return done;
  };
};
