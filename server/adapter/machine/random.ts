import { randomUUID } from 'node:crypto';

/** The one place that draws from chance. */
export const random = {
  /** A name that nobody else has. */
  uniqueName: (): string => randomUUID(),
};
