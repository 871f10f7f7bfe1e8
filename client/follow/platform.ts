/** What the follower needs of the machine. Tests bring their own. */
export interface Platform {
  /** Milliseconds since some moment. Never jumps when somebody sets the machine's clock. */
  nowMs(): number;
  /** Calls once, later. The function that it returns takes it back. */
  after(ms: number, act: () => void): () => void;
  /** From 0 to 1. */
  random(): number;
  /** 8 to 64 characters that nobody else has. */
  uniqueId(): string;
}

/** Browsers, Node and other engines alike: each of these is a global there. */
export const systemPlatform: Platform = {
  nowMs: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  // Not `randomUUID`: browsers keep that from pages that came over plain HTTP.
  uniqueId: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
};
