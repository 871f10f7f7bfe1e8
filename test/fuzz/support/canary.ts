import { RawClient } from './raw-client.ts';
import type { Victim } from './victim.ts';

/** A player that goes on as usual, and whose home nobody else may change. */
export class Canary {
  readonly #client: RawClient;
  readonly #took: number[] = [];
  #isStopped = false;
  #going: Promise<void> = Promise.resolve();

  private constructor(client: RawClient) {
    this.#client = client;
  }

  static async start(victim: Victim, sub = 'guest:canary'): Promise<Canary> {
    const canary = new Canary(await RawClient.join(victim, sub));
    await canary.#client.ask('home:adopt', { commandId: 'canary-adopts', name: 'Birdie', species: 'cat' });
    canary.#going = canary.#go(sub);
    return canary;
  }

  /** Ends; answers how long its commands took. Throws when one was not answered. */
  async stop(): Promise<{
    readonly commands: number;
    readonly p50Ms: number;
    readonly p99Ms: number;
    readonly maxMs: number;
  }> {
    this.#isStopped = true;
    await this.#going;
    await this.#client.leave();
    const sorted = this.#took.toSorted((a, b) => a - b);
    const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
    return { commands: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
  }

  /** A command that goes all the way to Postgres and changes nothing: the same one again, whose answer is known. */
  async #go(sub: string): Promise<void> {
    while (!this.#isStopped) {
      const startedAtMs = performance.now();
      const answer = await this.#client.ask('home:adopt', {
        commandId: 'canary-adopts',
        name: 'Birdie',
        species: 'cat',
      });
      if (answer?.status !== 0) throw new Error(`${sub} was not answered: ${answer?.body.toString('latin1')}`);
      this.#took.push(performance.now() - startedAtMs);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
