import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CanaryTimes } from './canary-thread.ts';
import { SECRETS, type Victim } from './victim.ts';

const thread = path.join(import.meta.dirname, 'canary-thread.ts');

/**
 * A player that goes on as usual, with a home that no other player may change; in its own thread, so that only the
 * server delays it.
 */
export class Canary {
  readonly #worker: Worker;
  /** Of the thread; rejects as soon as a command was not answered. */
  readonly #times: Promise<CanaryTimes>;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#times = new Promise((resolve, reject) => {
      worker.once('error', reject);
      worker.on('message', (message: CanaryTimes | 'at work') => {
        if (message !== 'at work') resolve(message);
      });
    });
    this.#times.catch(() => undefined);
  }

  static async start({ address }: Pick<Victim, 'address'>, sub = 'guest:canary'): Promise<Canary> {
    const worker = new Worker(thread, { workerData: { address, sub, jwtSecret: SECRETS.JWT_SECRET } });
    const canary = new Canary(worker);
    await Promise.race([once(worker, 'message'), canary.#times]);
    return canary;
  }

  /** Ends; returns how long its commands took. Throws when one was not answered. */
  async stop(): Promise<CanaryTimes> {
    this.#worker.postMessage('stop');
    const times = await this.#times;
    await this.#worker.terminate();
    return times;
  }
}
