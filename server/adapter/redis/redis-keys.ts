/** The names of everything the due index keeps. All keys of a shard carry one hash tag: one script may change them all. */
export class RedisKeys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  due(shard: number): string {
    return `${this.#tag(shard)}due`;
  }

  /** The owner's name follows. */
  ownerPrefix(shard: number): string {
    return `${this.#tag(shard)}o:`;
  }

  stream(shard: number): string {
    return `${this.#tag(shard)}handoff`;
  }

  generation(shard: number): string {
    return `${this.#tag(shard)}generation`;
  }

  /** Written now and then, to see whether it can be. */
  probe(shard: number): string {
    return `${this.#tag(shard)}probe`;
  }

  /** Pub/sub, for all shards. */
  wakeChannel(): string {
    return `${this.#prefix}:wake`;
  }

  /** For all shards. */
  nodes(): string {
    return `{${this.#prefix}}nodes`;
  }

  /** Whose timers all of this is about. */
  deployment(): string {
    return `{${this.#prefix}}deployment`;
  }

  #tag(shard: number): string {
    return `{${this.#prefix}:${shard}}`;
  }
}
