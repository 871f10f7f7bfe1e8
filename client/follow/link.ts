import type { Rejection } from '../../shared/protocol.ts';
import type { Platform } from './platform.ts';
import type { SdkRoom } from './sdk.ts';

/** What became of a request. `silent`: no reply came, and it may or may not have taken effect. `fault`: the same, but the server lives. */
export type Asked<Value> =
  | { readonly kind: 'accepted'; readonly value: Value }
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  | { readonly kind: 'silent' | 'fault' };

/** How long a reply may take. The server ends its own work after 3 s. */
const ANSWER_MS = 8_000;

/** One connection to a room, from the join to its loss. Never throws. */
export class Link {
  readonly room: SdkRoom;
  readonly #platform: Platform;
  readonly #giveUps = new Set<() => void>();
  #isOpen = true;

  constructor(room: SdkRoom, platform: Platform) {
    this.room = room;
    this.#platform = platform;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  ask<Value>(type: string, payload: object): Promise<Asked<Value>> {
    if (!this.#isOpen) return Promise.resolve({ kind: 'silent' });
    return new Promise((resolve) => {
      const settle = (asked: Asked<Value>): void => {
        cancel();
        this.#giveUps.delete(giveUp);
        resolve(asked);
      };
      const giveUp = (): void => settle({ kind: 'silent' });
      const cancel = this.#platform.after(ANSWER_MS, giveUp);
      this.#giveUps.add(giveUp);
      // A little longer than ours, which alone decides.
      this.room.request(type, payload, { timeout: ANSWER_MS + 1_000 }).then(
        (value) => settle({ kind: 'accepted', value: value as Value }),
        (error: unknown) => settle(whyOf(error)),
      );
    });
  }

  /** Hears and says nothing any more. The socket may take its time to close, or be dead already. */
  close(isConsented: boolean): void {
    if (!this.#isOpen) return;
    this.lose();
    this.room.removeAllListeners();
    try {
      this.room.leave(isConsented).catch(() => {});
    } catch {
      // A socket that is gone cannot be told.
    }
  }

  /** The connection was lost: there is nobody to tell, and nobody replies any more. */
  lose(): void {
    this.#isOpen = false;
    for (const giveUp of [...this.#giveUps]) giveUp();
  }
}

/** The SDK's errors: `reason` is what the server refused with; a `code` is its fault; the rest is silence. */
const whyOf = (error: unknown): Exclude<Asked<never>, { kind: 'accepted' }> => {
  if (typeof error !== 'object' || error === null) return { kind: 'silent' };
  if ('reason' in error && isRejection(error.reason)) return { kind: 'rejected', rejection: error.reason };
  return { kind: 'code' in error ? 'fault' : 'silent' };
};

const isRejection = (reason: unknown): reason is Rejection =>
  typeof reason === 'object' && reason !== null && 'code' in reason && 'retryable' in reason;
