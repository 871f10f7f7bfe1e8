import type { Rejection, Reply } from '../../shared/protocol.ts';
import { backOffMs } from './back-off.ts';
import { type Link, type RequestOutcome, refusedByClient } from './link.ts';
import type { Platform } from './platform.ts';

/** The rules or the server refused: nothing was done. `code` is one of the protocol's; the game has its own words for it. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.code);
    this.rejection = rejection;
  }
}

/** The follower was closed first: it is unknown whether the command took effect. */
export class FollowEnded extends Error {
  override readonly name = 'FollowEnded';

  constructor() {
    super('no longer following; the outcome is not known');
  }
}

/** A copy of the payload. Throws `CommandRefused` if no frame can represent it, whatever the SDK's version. */
export const framePayload = (type: string, payload: object): object => {
  try {
    const copy = { ...payload };
    // Throws also for a circle, a bigint, and a getter that throws.
    JSON.stringify(copy, (_, value) => {
      if (typeof value === 'symbol') throw value;
      return value;
    });
    return copy;
  } catch {
    throw new CommandRefused(refusedByClient(type, 'command/invalid', '').rejection);
  }
};

interface Order {
  readonly commandId: string;
  readonly type: string;
  readonly payload: object;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
  /** How often it was refused for now, or got no outcome. */
  attempts: number;
  /** An attempt got no outcome, so it may be done: no later refusal for now says that it is not. */
  isDoubtful?: boolean;
  isOnItsWay?: boolean;
  /** It was the only one under way. */
  isAlone?: boolean;
}

export interface OutboxOptions {
  readonly platform: Platform;
  /** The present connection; undefined: none. */
  readonly link: () => Link | undefined;
  /** Called before the sender gets the reply. */
  readonly onReply: (reply: Reply) => void;
  /** Called when a command got no reply. */
  readonly onSilence: () => void;
}

/** A refusal for now (`retryable`) is retried so often, about 12 s in all, before the sender gets it. */
const RETRIES = 5;

/**
 * Commands without a known outcome, in the order in which they were given. Each retains its `commandId` and is sent
 * again until its outcome is known: the server does it once.
 */
export class Outbox {
  readonly #on: OutboxOptions;
  readonly #orders = new Set<Order>();
  /** The room disconnected us, perhaps because of a command: they are sent one at a time until the bad one is found. */
  #isSingly = false;

  constructor(options: OutboxOptions) {
    this.#on = options;
  }

  get size(): number {
    return this.#orders.size;
  }

  post(type: string, given: object): Promise<Reply> {
    const commandId = this.#on.platform.uniqueId();
    return new Promise((resolve, reject) => {
      const payload = framePayload(type, given);
      this.#orders.add({ commandId, type, payload, resolve, reject, attempts: 0 });
      this.flush();
    });
  }

  /** Sends commands that are not under way, in order. */
  flush(): void {
    const link = this.#on.link();
    if (!link) return;
    for (const order of this.#orders) {
      if (!order.isOnItsWay) this.#send(order, link);
      if (this.#isSingly) return;
    }
  }

  end(): void {
    for (const order of this.#orders) order.reject(new FollowEnded());
    this.#orders.clear();
  }

  #send(order: Order, link: Link): void {
    order.isOnItsWay = true;
    order.isAlone = this.#isSingly;
    link
      .ask<Reply>(order.type, { ...order.payload, commandId: order.commandId })
      .then((asked) => this.#conclude(order, link, asked));
  }

  #conclude(order: Order, link: Link, told: RequestOutcome<Reply>): void {
    order.isOnItsWay = false;
    if (!this.#orders.has(order)) return;
    const { thrownOutFor } = link;
    const isBad = thrownOutFor && order.isAlone;
    const asked = isBad ? refusedByClient(order.type, thrownOutFor, link.isPlain ? 'type' : '') : told;
    if (thrownOutFor) this.#isSingly = true;
    if (asked.kind === 'accepted') {
      this.#orders.delete(order);
      link.read(order.type, () => this.#on.onReply(asked.value));
      order.resolve(asked.value);
      this.#sendNext();
      return;
    }
    order.attempts += 1;
    if (asked.kind !== 'rejected') order.isDoubtful = true;
    else if (!asked.rejection.retryable || (order.attempts > RETRIES && !order.isDoubtful)) {
      this.#orders.delete(order);
      order.reject(new CommandRefused(asked.rejection));
      this.#sendNext();
      return;
    }
    if (asked.kind === 'silent') this.#on.onSilence();
    // Commands of a lost connection are sent on the next one.
    if (link === this.#on.link()) this.#later(order, asked);
    else this.flush();
  }

  #sendNext(): void {
    if (!this.#isSingly) return;
    this.#isSingly = this.#orders.size > 0;
    this.flush();
  }

  #later(order: Order, asked: RequestOutcome<Reply>): void {
    const { platform } = this.#on;
    order.isOnItsWay = true;
    platform.after(waitMs(order, asked, platform), () => {
      order.isOnItsWay = false;
      this.flush();
    });
  }
}

const waitMs = (order: Order, asked: RequestOutcome<Reply>, platform: Platform): number => {
  const askedForMs = asked.kind === 'rejected' ? Number(asked.rejection.params.retryAfterMs) || 0 : 0;
  return Math.max(askedForMs, backOffMs(order.attempts - 1, platform.random()));
};
