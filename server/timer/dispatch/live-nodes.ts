/**
 * The nodes that hand timers off, as far as they can tell of each other. Views may differ for a while: a shard then
 * has two dispatchers, or none, and both are harmless.
 */
export interface LiveNodes {
  /** Unique among the nodes. */
  readonly self: string;

  /** Says that this node lives; returns the names of all that do, its own among them. Throws while nobody can tell. */
  heartbeat(): Promise<readonly string[]>;

  /** As `beat`, without being one of them. Who has died lately may be among them. */
  list(): Promise<readonly string[]>;

  /** This node is none of them any more, at once. Throws as `beat`. */
  leave(): Promise<void>;
}

/** For a process that is alone anyway: every shard is its own. */
export const loneNode: LiveNodes = {
  self: 'alone',
  heartbeat: async () => ['alone'],
  list: async () => ['alone'],
  leave: async () => undefined,
};
