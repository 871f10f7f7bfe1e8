import type { Cursor } from '../../follow/follow-home.ts';
import { KEPT_LANGUAGE, keep, kept } from '../../look/kept.ts';

/** The browser's storage between visits. The page works without it, because some browsers store nothing. */
export interface Memory {
  token: string | undefined;
  /** The player has seen all events up to here. */
  seen: Cursor | undefined;
  lang: string | undefined;
}

export const browserMemory = (): Memory => ({
  get token() {
    return kept('kibble.token');
  },
  set token(token) {
    keep('kibble.token', token);
  },
  get seen() {
    const [epoch, seq] = (kept('kibble.seen') ?? '').split(' ');
    return epoch && seq && Number.isSafeInteger(Number(seq)) ? { epoch, seq: Number(seq) } : undefined;
  },
  set seen(seen) {
    keep('kibble.seen', seen && `${seen.epoch} ${seen.seq}`);
  },
  get lang() {
    return kept(KEPT_LANGUAGE);
  },
  set lang(lang) {
    keep(KEPT_LANGUAGE, lang);
  },
});
