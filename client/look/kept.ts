/** Keys that all pages of one address share in the browser's storage. */
export const KEPT_LANGUAGE = 'kibble.lang';

/** A value that this browser stored on an earlier visit. Some browsers store nothing; the page works without. */
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
    // Then only this visit counts.
  }
};
