/** A player's delayed job. */
export interface Delayed {
  readonly playerId: string;
  readonly dueAtMs: number;
}

/** A queue of delayed jobs, one per player: the part of BullMQ that the composite uses. */
export interface Delays {
  add(jobs: readonly Delayed[]): Promise<void>;
  change(job: Delayed): Promise<void>;
  /** The due time of each job in the queue, by player. */
  dueTimes(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

export type OpenDelays = (redisUrl: string) => Promise<Delays>;

/** BullMQ is a package of the peers, installed only for their measurement. */
export const openDelays: OpenDelays = async (redisUrl) => {
  const program = './products/bullmq-delays.ts';
  const loaded = (await import(program)) as { readonly open: OpenDelays };
  return loaded.open(redisUrl);
};
