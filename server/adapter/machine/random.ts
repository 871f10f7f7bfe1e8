import { randomUUID } from 'node:crypto';

/** The one source of random values. */
export const random = {
  /** A name that no other process has. */
  uniqueName: (): string => randomUUID(),
};
