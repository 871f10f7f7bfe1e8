/** Calls once, later. Returns a function that cancels it. */
export const after = (ms: number, act: () => void): (() => void) => {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
};

/** Calls repeatedly while the page is visible; not beside a dialog, whose opener must stay. Returns a function that ends it. */
export const whileSeen = (everyMs: number, act: () => unknown): (() => void) => {
  const timer = setInterval(() => {
    if (!document.hidden && !document.querySelector('dialog')) act();
  }, everyMs);
  return () => clearInterval(timer);
};

/** Not `randomUUID`: browsers withhold it from pages loaded over plain HTTP. */
export const newCommandId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
