/** One life of the due index, with keys of its own, and how many shards it has. */
export interface Generation {
  readonly number: number;
  readonly shards: number;
}

export interface GenerationInForce extends Generation {
  /** How many shards the next one is to have that somebody asked for; undefined: nobody asked. */
  readonly wantedShards: number | undefined;
  /** No shard of an index that is whole has a lower pulse; one that has was restored from an old copy. */
  readonly pulse: number;
}

/** Which generation of the index is in force. Kept beside the rows, so that an index that was lost or restored is known by its number. */
export interface Generations {
  /** What is in force; where nothing is yet, the first with so many shards. */
  inForce(firstShards: number): Promise<GenerationInForce>;

  /** Asks for another one; with as many shards as now, unless said otherwise. The node that has the right to rebuild starts it. */
  want(shards?: number): Promise<void>;

  /** Puts a new one in force, as it was asked for: no index has its entries yet. */
  startNext(): Promise<Generation>;

  /** Notes the pulse of a generation, if it is in force still. It never falls. */
  notePulse(generation: number, pulse: number): Promise<void>;

  /** The last 32 that were in force before. */
  past(): Promise<readonly Generation[]>;
}

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
