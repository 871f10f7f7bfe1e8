import type { LiveNodes } from './live-nodes.ts';

/** For a process that is alone anyway: every shard is its own. */
export const loneNode: LiveNodes = {
  self: 'alone',
  beat: async () => ['alone'],
  list: async () => ['alone'],
  leave: async () => undefined,
};
