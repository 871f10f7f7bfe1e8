import type { HomeEvent } from '../../../shared/event.ts';
import { type Reply, reject } from '../../../shared/protocol.ts';
import type { HomeOrder, Homes } from '../../home/model/homes.ts';
import type { Answer } from './answer.ts';
import { CommandsInFlight, type Pending, PendingAnswers } from './pending-commands.ts';
import type { Recipient } from './recipient.ts';

interface Dependencies {
  readonly homes: Pick<Homes, 'handle'>;
  readonly onFault: (message: string, error: unknown) => void;
}

/** The commands of one session, until each is accepted by a commit that carries its reply, or refused. */
export class Commands {
  readonly #dependencies: Dependencies;
  readonly #pending = new PendingAnswers();
  readonly #inFlight = new CommandsInFlight();
  #isDraining = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Never throws: the reply is told of everything. */
  async give(order: HomeOrder, answer: Answer<Reply>, recipient: Recipient): Promise<void> {
    const { commandId } = order;
    const { homes, onFault } = this.#dependencies;
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
