/** 1 to 128 characters that need no escaping in a key, a URL path or a log line. */
export const PLAYER_ID = /^[A-Za-z0-9._:|@-]{1,128}$/;

export const isPlayerId = (value: unknown): value is string => typeof value === 'string' && PLAYER_ID.test(value);

/**
 * The id of what an event creates. `~` cannot occur in a player id and `seq` is unique for a player, so ids never
 * clash, and the rules need no random.
 */
export const petIdOf = (playerId: string, seq: number): string => `${playerId}~p${seq}`;

export const feedingIdOf = (playerId: string, seq: number): string => `${playerId}~f${seq}`;

/** The `seq` of the event that created it. */
export const seqOf = (id: string): number => Number(id.slice(id.lastIndexOf('~') + 2));

/** The player whom a pet or a feeding belongs to. */
export const ownerOf = (id: string): string => id.slice(0, Math.max(0, id.lastIndexOf('~')));
