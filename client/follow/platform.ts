/** The follower's needs from the machine. Tests have their own. */
export interface Platform {
  /** Milliseconds since some instant. Does not jump when the machine's clock is set. */
  nowMs(): number;
  /** Calls once, later. Returns a function that cancels it. */
  after(ms: number, act: () => void): () => void;
  /** From 0 to 1. */
  random(): number;
  /** 8 to 64 characters that are unique. */
  uniqueId(): string;
}

/** Browsers, Node and other engines have all of these as globals. */
export const systemPlatform: Platform = {
  nowMs: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  // Not `randomUUID`: browsers withhold it from pages loaded over plain HTTP.
  uniqueId: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
};
