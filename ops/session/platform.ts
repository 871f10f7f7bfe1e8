/** Calls once, later. The function that it returns takes it back. */
export const after = (ms: number, act: () => void): (() => void) => {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
};

/** Calls again and again while somebody looks at the page. The function that it returns ends it. */
export const whileSeen = (everyMs: number, act: () => unknown): (() => void) => {
  const timer = setInterval(() => {
    if (!document.hidden) act();
  }, everyMs);
  return () => clearInterval(timer);
};

/** Not `randomUUID`: browsers keep that from pages that came over plain HTTP. */
export const newCommandId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
