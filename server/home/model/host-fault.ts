/** A part that the game brings, and which of its methods. */
export type HostPart = 'inventory/load' | 'inventory/apply' | 'consumer/handle' | 'hook/playerId';

/** What the game itself brought has failed: not Kibble, and not the world, unless it is `retryable`. */
export class HostFault extends Error {
  readonly code: HostPart;
  /** The world failed in it (a connection, a time-out): the same again may succeed. */
  readonly retryable: boolean;

  constructor(code: HostPart, cause: unknown, isOfWorld = false) {
    super(`${code} of the game failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'HostFault';
    this.code = code;
    this.retryable = isOfWorld;
  }
}

/** The fault of the game's that an error wraps, if it is one that will be there the next time as well. */
export const lastingHostFault = (error: unknown): HostFault | undefined => {
  if (error instanceof HostFault) return error.retryable ? undefined : error;
  return error instanceof Error && error.cause !== undefined ? lastingHostFault(error.cause) : undefined;
};
