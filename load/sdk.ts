import type { Client, Room } from '@colyseus/sdk';
import type { Histogram } from 'hdr-histogram-js';

/** Packages that a server does not need: an installation that only runs a server can omit them. */
export interface LoadPackages {
  readonly Client: typeof Client;
  readonly createHistogram: () => Histogram;
}

export type { Client, Room };

/** Undefined when they are not installed: they are optional peers of the published package. */
export const loadPackages = async (): Promise<LoadPackages | undefined> => {
  try {
    const [sdk, hdr] = await Promise.all([import('@colyseus/sdk'), import('hdr-histogram-js')]);
    return {
      Client: sdk.Client,
      createHistogram: () => hdr.build({ numberOfSignificantValueDigits: 3, highestTrackableValue: 3_600_000_000 }),
    };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (isMissing) return undefined;
    throw error;
  }
};
