/**
 * The live nodes that hand timers off. Nodes may disagree for a while: then a shard has two dispatchers or none, and
 * both are harmless.
 */
export interface LiveNodes {
  /** Unique among the nodes. */
  readonly self: string;

  /** Reports that this node lives; returns the names of all live nodes, with its own. Throws if they cannot be read. */
  heartbeat(): Promise<readonly string[]>;

  /** The same list without a report. It may include nodes that died a moment ago. */
  list(): Promise<readonly string[]>;

  /** Removes this node from the list at once. Throws as `heartbeat`. */
  leave(): Promise<void>;
}

/** For a process without other nodes: it owns every shard. */
export const loneNode: LiveNodes = {
  self: 'alone',
  heartbeat: async () => ['alone'],
  list: async () => ['alone'],
  leave: async () => undefined,
};
