import { setTimeout as pass } from 'node:timers/promises';

/** What `work` resolves with; throws when it takes longer than `limitMs`. */
export const within = async <Value>(limitMs: number, work: Promise<Value>): Promise<Value> => {
  const ended = new AbortController();
  const tooLong = pass(limitMs, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`not within ${limitMs} ms`);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    tooLong.catch(() => undefined);
    ended.abort();
  }
};

/** Looks every `everyMs` until it is so; throws after `limitMs`. */
export const until = async (what: string, limitMs: number, isSo: () => Promise<boolean> | boolean): Promise<void> => {
  const endAtMs = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > endAtMs) throw new Error(`${what}: not within ${limitMs} ms`);
    await pass(25);
  }
};
