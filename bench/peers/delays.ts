/** A job that waits, of one player. */
export interface Delayed {
  readonly playerId: string;
  readonly dueAtMs: number;
}

/** A queue of delayed jobs, one a player: what of BullMQ the composite uses. */
export interface Delays {
  add(jobs: readonly Delayed[]): Promise<void>;
  change(job: Delayed): Promise<void>;
  /** When each job is due, by player, as the queue has it. */
  dueTimes(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

export type OpenDelays = (redisUrl: string) => Promise<Delays>;

/** BullMQ is a package of the peers, installed only where they are measured. */
export const openDelays: OpenDelays = async (redisUrl) => {
  const program = './products/bullmq-delays.ts';
  const loaded = (await import(program)) as { readonly open: OpenDelays };
  return loaded.open(redisUrl);
};
