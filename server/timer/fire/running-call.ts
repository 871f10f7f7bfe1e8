import { callGame } from '../../../shared/game-code.ts';
import type { Clock } from '../../runtime/clock.ts';
import { guardedSignal } from '../../runtime/game-signal.ts';
import type { Timer } from '../model/timer.ts';
import type { CallKind } from '../model/timer-kind.ts';
import { firedTimer, handlerOf } from './handler-io.ts';

/** `unknown`: the call was aborted and may or may not have had its effect. */
export type CallOutcome =
  | { readonly outcome: 'returned'; readonly result: unknown }
  | { readonly outcome: 'failed'; readonly error: unknown }
  | { readonly outcome: 'unknown' };

interface Dependencies {
  readonly kind: CallKind;
  /** The row before it was claimed. */
  readonly timer: Timer;
  /** The revision of the claimed row. */
  readonly revision: number;
  readonly timeoutMs: number;
  readonly after: Clock['after'];
  /** Receives what listeners of the signal throw. */
  readonly onFault: (error: unknown) => void;
}

/** One call of a handler: ends with its result, at its time-out, or when it is aborted. */
export class RunningCall {
  readonly timer: Timer;
  readonly revision: number;
  readonly outcome: Promise<CallOutcome>;
  readonly #controller = new AbortController();
  readonly #end: (outcome: CallOutcome) => void;

  constructor({ kind, timer, revision, timeoutMs, after, onFault }: Dependencies) {
    this.timer = timer;
    this.revision = revision;
    const { promise, resolve } = Promise.withResolvers<CallOutcome>();
    this.#end = resolve;
    const cancel = after(timeoutMs, () => {
      const error = new Error(`no answer within ${timeoutMs} ms`);
      this.#controller.abort(error);
      resolve({ outcome: 'failed', error });
    });
    this.outcome = promise.finally(cancel);
    void this.#call(kind, guardedSignal(this.#controller.signal, onFault));
  }

  /** From now on the call's outcome does not count. */
  abort(reason: CallAborted): void {
    this.#controller.abort(reason);
    this.#end({ outcome: 'unknown' });
  }

  async #call(kind: CallKind, signal: AbortSignal): Promise<void> {
    const { id, turn } = this.timer;
    try {
      const called = { ...firedTimer(this.timer), idempotencyKey: `${id}:${turn}` };
      const result = await callGame(handlerOf(kind), () => kind.call(called, signal));
      this.#end({ outcome: 'returned', result });
    } catch (error) {
      this.#end({ outcome: 'failed', error });
    }
  }
}

/**
 * The reason of a call's signal when its outcome no longer counts. `moved`: the timer was cancelled or got another due
 * time. `stopping`: the process ends; the timer is called again with the same key.
 */
export class CallAborted extends Error {
  readonly why: 'moved' | 'stopping';

  constructor(why: 'moved' | 'stopping') {
    super(why === 'moved' ? 'the timer was moved or cancelled during its call' : 'the process is stopping');
    this.name = 'CallAborted';
    this.why = why;
  }
}
