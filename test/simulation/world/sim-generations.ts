import type { Generation, GenerationInForce } from '../../../server/timer/index/generation.ts';

/** The row that says which generation of the index is in force. */
export class SimGenerations {
  #inForce: GenerationInForce | undefined;
  past: readonly Generation[] = [];

  inForce(firstShards: number): GenerationInForce {
    this.#inForce ??= { number: 1, shards: firstShards, wantedShards: undefined, pulse: 0 };
    return this.#inForce;
  }

  want(shards?: number): void {
    const before = this.inForce(1);
    this.#inForce = { ...before, wantedShards: shards ?? before.shards };
  }

  startNext(): Generation {
    const { number, shards, wantedShards } = this.inForce(1);
    this.past = [...this.past, { number, shards }].slice(-32);
    this.#inForce = { number: number + 1, shards: wantedShards ?? shards, wantedShards: undefined, pulse: 0 };
    return this.#inForce;
  }

  notePulse(number: number, pulse: number): void {
    const before = this.inForce(1);
    if (before.number === number && before.pulse < pulse) this.#inForce = { ...before, pulse };
  }
}
