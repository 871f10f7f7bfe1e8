import { createHash } from 'node:crypto';

/** Who shows a token, as far as revoking it goes. */
export interface Bearer {
  /** Under which the token can be revoked: by its player, and by its own id if it has one. */
  readonly keys: readonly string[];
  /** When its player signed in, or 0 when the token does not say: then every revocation of the player's tokens counts. */
  readonly issuedAtMs: number;
}

/** A token, or all tokens of a player that were issued up to an instant. */
export interface Revoked {
  readonly key: string;
  readonly issuedUntilMs: number;
}

/** Tokens that no process accepts any more. Throws as the driver does. */
export interface Revocations {
  isRevoked(bearer: Bearer): Promise<boolean>;
  /**
   * Those of the last minutes, and of the time since `lookedAtMs`: for connections that are open already, and those that
   * come back. `nowMs` is for the next look.
   */
  recent(lookedAtMs?: number): Promise<{ readonly nowMs: number; readonly revoked: readonly Revoked[] }>;
}

/** Hashes: ids of players who are gone do not stay, and ids of tokens may be of any length. */
export const playerKey = (playerId: string): string => `player:${hashOf(playerId)}`;
export const tokenKey = (tokenId: string): string => `token:${hashOf(tokenId)}`;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
