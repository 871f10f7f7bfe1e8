import type { HomeEvent } from '../../../shared/event.ts';
import { type Reply, reject } from '../../../shared/protocol.ts';
import type { Answer } from '../../home/model/commit.ts';
import { commandHash } from '../../home/model/home-store.ts';
import type { HomeOrder, Homes } from '../../home/model/homes.ts';
import type { ClientReply } from './answer.ts';
import type { Recipient } from './session-options.ts';

interface Dependencies {
  readonly homes: Pick<Homes, 'handle'>;
  readonly onFault: (message: string, error: unknown) => void;
}

/** How many messages of one session may wait for earlier ones in each line; of commands as many may wait for the store. */
const MOST_WAITING = 64;
const tooMany = () => reject('rate/limited', { retryAfterMs: 1_000 });

/** One session's commands, until a commit with their reply accepts them, or they are refused. */
export class Commands {
  readonly #on: Dependencies;
  readonly #pending = new PendingAnswers();
  readonly #inFlight = new CommandsInFlight();
  /** How many wait for an earlier one with the same id. */
  #waiting = 0;
  #isEnding = false;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  /** Never throws: the reply gets every outcome. */
  async submit(order: HomeOrder, answer: ClientReply<Reply>, recipient: Recipient): Promise<void> {
    const { commandId } = order;
    const { homes, onFault } = this.#on;
    // Of two messages with one id the earlier one must get its reply first: a commit names only ids.
    if (this.#pending.get(commandId) && this.#waiting >= MOST_WAITING) return answer.refuse(tooMany());
    this.#waiting += 1;
    for (let earlier = this.#pending.get(commandId); earlier; earlier = this.#pending.get(commandId)) {
      await earlier.ended;
    }
    this.#waiting -= 1;
    if (this.#isEnding) return answer.refuse(reject('server/unavailable'));
    const pending = this.#pending.add(commandId, { answer, recipient, hash: commandHash(order.command) });
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
  removePending({ commandId, hash }: Answer): Pending | undefined {
    const pending = this.#pending.get(commandId);
    if (!pending || (hash !== undefined && hash !== pending.hash)) return undefined;
    this.#pending.end(commandId);
    return pending;
  }

  /** Tells clients that these outcomes are unknown: they send the commands again. */
  fail(answers: readonly Answer[]): void {
    for (const answer of answers) this.removePending(answer)?.answer.fail();
  }

  /** Resolves when followers have received our commits of these events. */
  async published(events: readonly HomeEvent[]): Promise<void> {
    await Promise.allSettled(this.#inFlight.of(events));
  }

  /** Accepts no more commands, and resolves when the accepted ones have their replies. */
  async drain(): Promise<void> {
    this.#isEnding = true;
    await this.#pending.answered();
  }

  end(): void {
    this.#isEnding = true;
    this.#pending.endAll();
  }
}

export interface Pending {
  readonly answer: ClientReply<Reply>;
  /** The client that gets the reply: if another client is connected by now, this one is gone. */
  readonly recipient: Recipient;
  readonly hash: string;
  readonly ended: Promise<void>;
}

/** By `commandId`: one session's commands without a reply. */
export class PendingAnswers {
  /** Made on demand: most sessions of an idle server send no command. */
  #pending: Map<string, Pending & { readonly end: () => void }> | undefined;

  get(commandId: string): Pending | undefined {
    return this.#pending?.get(commandId);
  }

  add(commandId: string, command: Omit<Pending, 'ended'>): Pending {
    const { promise, resolve } = Promise.withResolvers<void>();
    const pending = { ...command, ended: promise, end: resolve };
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

/** One session's questions: each is read when the earlier ones have their answers. */
export class Questions {
  /** Made on demand: most sessions of an idle server send nothing. */
  #last: Promise<unknown> | undefined;
  #waiting = 0;
  #isEnding = false;

  /**
   * Resolves or throws as `act` does, which gives the answer. Refuses the client instead if too many questions wait, or
   * after the end.
   */
  async ask(answer: Pick<ClientReply<never>, 'refuse'>, act: () => Promise<void>): Promise<void> {
    if (this.#waiting > MOST_WAITING) return answer.refuse(tooMany());
    this.#waiting += 1;
    const done = (this.#last ?? Promise.resolve())
      .then(() => (this.#isEnding ? answer.refuse(reject('server/unavailable')) : act()))
      .finally(() => {
        this.#waiting -= 1;
      });
    this.#last = done.catch(() => undefined);
    return done;
  }

  end(): void {
    this.#isEnding = true;
  }
}
