import type { Generation, GenerationInForce, Generations } from './generation.ts';

/** For an index that dies with its process (`Generations`): nothing is left of the past, and nothing is restored. */
export class OwnGenerations implements Generations {
  #inForce: GenerationInForce | undefined;

  async inForce(firstShards: number): Promise<GenerationInForce> {
    this.#inForce ??= { number: 1, shards: firstShards, wantedShards: undefined, pulse: 0 };
    return this.#inForce;
  }

  async want(shards?: number): Promise<void> {
    const present = await this.inForce(1);
    this.#inForce = { ...present, wantedShards: shards ?? present.shards };
  }

  async startNext(): Promise<Generation> {
    const { number, shards, wantedShards } = await this.inForce(1);
    this.#inForce = { number: number + 1, shards: wantedShards ?? shards, wantedShards: undefined, pulse: 0 };
    return { number: this.#inForce.number, shards: this.#inForce.shards };
  }

  async notePulse(generation: number, pulse: number): Promise<void> {
    const present = await this.inForce(1);
    if (present.number === generation) this.#inForce = { ...present, pulse: Math.max(present.pulse, pulse) };
  }

  async past(): Promise<readonly Generation[]> {
    return [];
  }
}
