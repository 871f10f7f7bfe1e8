import type { HomeEvent } from '../../../shared/event.ts';
import { type Reply, reject } from '../../../shared/protocol.ts';
import type { HomeOrder, Homes } from '../../home/model/homes.ts';
import type { ClientReply } from './answer.ts';
import type { Recipient } from './session-options.ts';

interface Dependencies {
  readonly homes: Pick<Homes, 'handle'>;
  readonly onFault: (message: string, error: unknown) => void;
}

/** One session's commands, until a commit with their reply accepts them, or they are refused. */
export class Commands {
  readonly #on: Dependencies;
  readonly #pending = new PendingAnswers();
  readonly #inFlight = new CommandsInFlight();
  #isDraining = false;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Never throws: the reply gets every outcome. */
  async give(order: HomeOrder, answer: ClientReply<Reply>, recipient: Recipient): Promise<void> {
    const { commandId } = order;
    const { homes, onFault } = this.#on;
    // Of two messages with one id the earlier one must get its reply first: a commit names only ids.
    for (let earlier = this.#pending.get(commandId); earlier; earlier = this.#pending.get(commandId)) {
      await earlier.ended;
    }
    if (this.#isDraining) return answer.refuse(reject('server/unavailable'));
    const pending = this.#pending.add(commandId, answer, recipient);
    try {
      const [outcome] = await this.#inFlight.follow(commandId, homes.handle([order]));
      if (!outcome) throw new Error('one order must have one outcome');
      // An accepted command gets its reply from the commit, now or when the log is read.
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

  /** For a caller that sends the reply right now: the command is no longer pending. */
  taken(commandId: string): Pending | undefined {
    const pending = this.#pending.get(commandId);
    if (pending) this.#pending.end(commandId);
    return pending;
  }

  /** Resolves when followers have received our commits of these events. */
  async landed(events: readonly HomeEvent[]): Promise<void> {
    await Promise.allSettled(this.#inFlight.of(events));
  }

  /** Accepts no more commands, and resolves when the accepted ones have their replies. */
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
  /** The client that gets the reply: if another client is connected by now, this one is gone. */
  readonly recipient: Recipient;
  readonly ended: Promise<void>;
}

/** By `commandId`: one session's commands without a reply. */
export class PendingAnswers {
  /** Made on demand: most sessions of an idle server send no command. */
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

  /** Call it right before the reply is sent. */
  end(commandId: string): void {
    this.#pending?.get(commandId)?.end();
    this.#pending?.delete(commandId);
  }

  endAll(): void {
    for (const commandId of this.#pending?.keys() ?? []) this.end(commandId);
  }

  /** Resolves when all commands that are pending now have their replies. */
  async answered(): Promise<void> {
    await Promise.all([...(this.#pending?.values() ?? [])].map(({ ended }) => ended));
  }
}

/** By `commandId`: one session's commands in the store, until their commit is published. */
export class CommandsInFlight {
  /** Made on demand. */
  #works: Map<string, Promise<unknown>> | undefined;

  /** `work` ends when followers have received the commit. */
  follow<Value>(commandId: string, work: Promise<Value>): Promise<Value> {
    const followed = work.finally(() => this.#works?.delete(commandId));
    this.#works ??= new Map();
    this.#works.set(commandId, followed);
    return followed;
  }

  /** The log may have a commit of ours before its followers do: returns the work of these events. */
  of(events: readonly HomeEvent[]): readonly Promise<unknown>[] {
    return events.flatMap(({ commandId = '' }) => this.#works?.get(commandId) ?? []);
  }
}

/** Runs asynchronous acts one after another, in call order; each call returns or throws the result of its act. */
export const serialQueue = (): (<Done>(act: () => Promise<Done>) => Promise<Done>) => {
  /** Made on demand: most sessions of an idle server send nothing. */
  let last: Promise<unknown> | undefined;
  return (act) => {
    const done = (last ?? Promise.resolve()).then(act);
    last = done.catch(() => undefined);
    return done;
  };
};
