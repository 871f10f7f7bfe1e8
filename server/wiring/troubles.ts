/** What works worse than it should. `clock`: the database's clock jumped, and time goes on without it. */
export type Trouble = 'redis' | 'clock';

interface Sources {
  /** False on the timing wheel. */
  readonly hasRedis: boolean;
  /** The index answers and lacks nothing. */
  readonly isIndexWhole: boolean;
  /** The index is refused for something that an operator has to change. */
  readonly index: object;
  readonly isClockHeld: boolean;
}

/** What a probe tells, of what there is. */
export const troublesOf = ({ hasRedis, isIndexWhole, index, isClockHeld }: Sources): readonly Trouble[] => {
  const isRedisFine = isIndexWhole && !('trouble' in index && index.trouble);
  return [...(hasRedis && !isRedisFine ? (['redis'] as const) : []), ...(isClockHeld ? (['clock'] as const) : [])];
};
