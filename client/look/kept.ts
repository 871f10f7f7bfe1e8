/** Keys under which the pages of one address keep what both know. */
export const KEPT_LANGUAGE = 'kibble.lang';

/** What this browser kept from an earlier visit. Some browsers keep nothing, and everything works without. */
export const kept = (key: string): string | undefined => {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
};

export const keep = (key: string, value: string | undefined): void => {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Then this visit is all there is.
  }
};
