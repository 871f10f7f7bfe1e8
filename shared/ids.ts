/** 1 to 128 characters that need no escaping in a key, a URL path or a log line. */
export const PLAYER_ID = /^[A-Za-z0-9._:|@-]{1,128}$/;

/** A timer's id as its row shows it: with a leading zero, Postgres would find the row and the index would not. */
export const TIMER_ID = /^[1-9]\d{0,17}$/;

/** Whether a player may have this id. Earlier releases accepted more ids than `mayBePlayer` does. */
export const isPlayerId = (value: unknown): value is string => typeof value === 'string' && PLAYER_ID.test(value);

/** Whether a new player may have this id: not `..`, which URLs fold away, and no name that every object has. */
export const mayBePlayer = (value: unknown): value is string => isPlayerId(value) && !isFolded(value);

/** The rule as a message. */
export const PLAYER_ID_RULE =
  'the player id must be a text of 1 to 128 of A-Z a-z 0-9 . _ : | @ -, not . or .., and no name that every object has';

const isFolded = (id: string): boolean => id === '.' || id === '..' || id in Object.prototype;

/** A player's id as a part of a path: unchanged, or `~` and base64url if a URL cannot carry it. No id has a `~`. */
export const playerPart = (id: string): string => (isFolded(id) ? `~${encoded(id)}` : id);

/** The id in a part of a path. */
export const playerOfPart = (part: string): string => (part.startsWith('~') ? decoded(part.slice(1)) : part);

const encoded = (id: string): string => btoa(id).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const decoded = (text: string): string => {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
};

/** The `seq` of the event that created it. */
export const seqOf = (id: string): number => Number(id.slice(id.lastIndexOf('~') + 2));

/** The player that owns a thing or a run. */
export const ownerOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf('~')));
