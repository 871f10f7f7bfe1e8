/** 1 to 128 characters that need no escaping in a key, a URL path or a log line. */
export const PLAYER_ID = /^[A-Za-z0-9._:|@-]{1,128}$/;

export const isPlayerId = (value: unknown): value is string => typeof value === 'string' && PLAYER_ID.test(value);

/** The `seq` of the event that created it. */
export const seqOf = (id: string): number => Number(id.slice(id.lastIndexOf('~') + 2));

/** The player whom a thing or a run belongs to. */
export const ownerOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf('~')));
