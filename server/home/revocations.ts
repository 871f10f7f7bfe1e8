import { createHash } from 'node:crypto';

/** The identity behind a token, for revocation. */
export interface Bearer {
  /** Keys under which the token can be revoked: its player, and its own id if it has one. */
  readonly keys: readonly string[];
  /** When the player signed in; 0 if the token does not say: then each revocation of the player's tokens applies. */
  readonly issuedAtMs: number;
}

/** A token, or all tokens of a player that were issued up to an instant. */
export interface Revoked {
  readonly key: string;
  readonly issuedUntilMs: number;
}

/** Tokens that no process accepts any more. Errors of the driver are thrown unchanged. */
export interface Revocations {
  isRevoked(bearer: Bearer): Promise<boolean>;
  /**
   * Revocations of the last minutes and since `lookedAtMs`: for open connections and reconnections. Pass `nowMs` to the
   * next call.
   */
  recent(lookedAtMs?: number): Promise<{ readonly nowMs: number; readonly revoked: readonly Revoked[] }>;
}

/** A guest's token lasts this long. A renewal has the same `jti`, so a revocation lasts as long at least. */
export const GUEST_DAYS = 180;

/** Hashes, so that ids of erased players do not stay, and token ids may have any length. */
export const playerKey = (playerId: string): string => `player:${hashOf(playerId)}`;
export const tokenKey = (tokenId: string): string => `token:${hashOf(tokenId)}`;

/** The player of a verified token, and its claims `jti` and `iat`. */
export interface Identified {
  readonly playerId: string;
  readonly tokenId?: string | undefined;
  /** Epoch milliseconds; 0 if the token does not say. */
  readonly issuedAtMs: number;
}

/** For `onAuth` of a game's own rooms: `await kibble.ops.revocations.isRevoked(bearerOf(identified))`. */
export const bearerOf = ({ playerId, tokenId, issuedAtMs }: Identified): Bearer => ({
  keys: [playerKey(playerId), ...(tokenId === undefined ? [] : [tokenKey(tokenId)])],
  issuedAtMs,
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
