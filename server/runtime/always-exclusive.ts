import type { Exclusive } from './exclusive.ts';

/** For a process that is alone anyway. */
export const alwaysExclusive: Exclusive = { tryHold: async () => true, release: async () => undefined };
