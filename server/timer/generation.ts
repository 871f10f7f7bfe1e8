/** One life of the due index, and how many shards it has. */
export interface Generation {
  readonly number: number;
  readonly shards: number;
}

/** Which generation of the index is in force. Kept beside the rows, so that an index that was lost or restored is known by its number. */
export interface Generations {
  /** What is in force; where nothing is yet, the first with so many shards. */
  inForce(firstShards: number): Promise<Generation>;

  /** Puts a new one in force: no index has its entries yet. With as many shards as now, unless said otherwise. */
  startNext(shards?: number): Promise<Generation>;
}
