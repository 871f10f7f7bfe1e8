/** One life of the due index: its number, which is in its keys, and its number of shards. */
export interface Generation {
  readonly number: number;
  readonly shards: number;
}

export interface GenerationInForce extends Generation {
  /** The number of shards that an operator asked for, for the next generation; undefined: none. */
  readonly wantedShards: number | undefined;
  /** No shard of a whole index has a lower pulse; a shard with a lower one was restored from an old copy. */
  readonly pulse: number;
}

/** The generation of the index in force. Stored with the rows, so its number shows that an index was lost or restored. */
export interface Generations {
  /** Returns the generation in force; if there is none yet, starts the first with so many shards. */
  inForce(firstShards: number): Promise<GenerationInForce>;

  /** Asks for the next generation; default: with the number asked for before, else the same. The leader starts it. */
  want(shards?: number): Promise<void>;

  /** Puts the next generation in force as it was asked for. No index has its entries yet. */
  startNext(): Promise<Generation>;

  /** Notes the pulse of a generation if it is still in force. The pulse never falls. */
  notePulse(generation: number, pulse: number): Promise<void>;

  /** The last 32 earlier generations. */
  past(): Promise<readonly Generation[]>;
}

/** `Generations` of an index that dies with its process: no past remains and nothing is restored. */
export class OwnGenerations implements Generations {
  #inForce: GenerationInForce | undefined;

  async inForce(firstShards: number): Promise<GenerationInForce> {
    this.#inForce ??= { number: 1, shards: firstShards, wantedShards: undefined, pulse: 0 };
    return this.#inForce;
  }

  async want(shards?: number): Promise<void> {
    const present = await this.inForce(1);
    this.#inForce = { ...present, wantedShards: shards ?? present.wantedShards ?? present.shards };
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
