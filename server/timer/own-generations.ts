import type { Generation, Generations } from './generation.ts';

/** For an index that dies with its process (`Generations`). */
export class OwnGenerations implements Generations {
  #inForce: Generation | undefined;

  async inForce(firstShards: number): Promise<Generation> {
    this.#inForce ??= { number: 1, shards: firstShards };
    return this.#inForce;
  }

  async startNext(shards?: number): Promise<Generation> {
    const { number, shards: present } = await this.inForce(1);
    this.#inForce = { number: number + 1, shards: shards ?? present };
    return this.#inForce;
  }
}
