import type { Cursor } from '../follow/follow-home.ts';

/** What this browser keeps between visits. Everything works without: some browsers keep nothing. */
export interface Memory {
  token: string | undefined;
  /** Up to here the player has seen what happened. */
  seen: Cursor | undefined;
  lang: string | undefined;
}

export const browserMemory = (): Memory => ({
  get token() {
    return read('kibble.token');
  },
  set token(token) {
    write('kibble.token', token);
  },
  get seen() {
    const [epoch, seq] = (read('kibble.seen') ?? '').split(' ');
    return epoch && seq && Number.isSafeInteger(Number(seq)) ? { epoch, seq: Number(seq) } : undefined;
  },
  set seen(seen) {
    write('kibble.seen', seen && `${seen.epoch} ${seen.seq}`);
  },
  get lang() {
    return read('kibble.lang');
  },
  set lang(lang) {
    write('kibble.lang', lang);
  },
});

const read = (key: string): string | undefined => {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
};

const write = (key: string, value: string | undefined): void => {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Then this visit is all there is.
  }
};
