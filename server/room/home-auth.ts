import { ErrorCode, ServerError } from '@colyseus/core';
import { callGameNow } from '../../shared/game-code.ts';
import { mayBePlayer } from '../../shared/ids.ts';
import { type Bearer, bearerOf, type Revocations } from '../home/revocations.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { OnFault } from './session/sessions.ts';
import { type Identity, ISSUERS_CLOCK_S, TokenRefused, type Tokens } from './tokens.ts';

export interface HomeAuthOptions {
  readonly tokens: Tokens;
  /** Maps a verified token to its player. Default: its `sub`. */
  readonly playerId?: (identity: Identity) => string;
  /** Undefined: no limits. */
  readonly rates?: RoomRates | undefined;
  /** Undefined: a token is valid until it expires. */
  readonly revoked?: Pick<RevokedTokens, 'isRevoked' | 'wasRevoked'> | undefined;
  readonly onFault: OnFault;
}

/** Limits of costly acts, by player and address. */
export interface RoomRates {
  /** By player. */
  readonly messages: RateLimit;
  /** By player. */
  readonly joins: RateLimit;
  /** By address. */
  readonly badTokens: RateLimit;
}

/** The result of `onAuth`, for the whole life of a connection. */
export interface HomeAuth {
  readonly playerId: string;
  /** Set for a guest: the token is renewed. */
  readonly guest?: Pick<Identity, 'sub' | 'tokenId' | 'issuedAtMs'>;
  /** When the token and the connection end. Undefined for a guest: that token was just renewed. */
  readonly endsAtMs?: number;
  readonly bearer: Bearer;
}

/** Finds the player of this token and address. Throws the error that Colyseus sends to the client. */
export const authOf = async (options: HomeAuthOptions, token: string, address: string): Promise<HomeAuth> => {
  const { tokens, rates, revoked, onFault } = options;
  if (((await rates?.badTokens.waitMs(address)) ?? 0) > 0) throw tooOften();
  const auth = await tokens.verify(token).then(
    (identity) => authFor(identity, playerIdBy(options, identity)),
    async (error: unknown) => {
      if (!(error instanceof TokenRefused)) throw unavailable(onFault, error);
      // Counts only invented tokens: an expired token was valid once.
      if (error.code === 'auth/refused') await rates?.badTokens.consume(address);
      throw new ServerError(ErrorCode.AUTH_FAILED, error.code);
    },
  );
  if (((await rates?.joins.consume(auth.playerId)) ?? 0) > 0) throw tooOften();
  const isRevoked = await revoked?.isRevoked(auth.bearer).catch((error: unknown) => {
    throw unavailable(onFault, error);
  });
  if (isRevoked) throw new ServerError(ErrorCode.AUTH_FAILED, 'auth/refused');
  return auth;
};

/** Undefined if the game's own code failed. */
const playerIdBy = ({ playerId = subOf, onFault }: HomeAuthOptions, identity: Identity): string | undefined => {
  try {
    return callGameNow('playerId', () => playerId(identity));
  } catch (error) {
    onFault('a token stands for no player', error);
    return undefined;
  }
};

const authFor = (identity: Identity, playerId: string | undefined): HomeAuth => {
  if (!mayBePlayer(playerId)) throw new ServerError(ErrorCode.AUTH_FAILED, 'auth/refused');
  const { isGuest, sub, tokenId, issuedAtMs, claims } = identity;
  const bearer = bearerOf({ playerId, tokenId, issuedAtMs });
  if (isGuest) return { playerId, bearer, guest: { sub, tokenId, issuedAtMs } };
  // Not before joins with this token are refused: the client would join with it again at once.
  return { playerId, bearer, endsAtMs: (Number(claims.exp) + ISSUERS_CLOCK_S) * 1_000 };
};

const tooOften = (): ServerError => new ServerError(ErrorCode.APPLICATION_ERROR, 'rate/limited');

const unavailable = (onFault: OnFault, error: unknown): ServerError => {
  onFault('a token could not be verified', error);
  return new ServerError(ErrorCode.APPLICATION_ERROR, 'server/unavailable');
};

const subOf = ({ sub }: Identity): string => sub;

/** How often revocations are read: connections end at most this much later, plus a turn of their room. */
const POLL_EVERY_MS = 500;
/** Two minutes: a room looks once a second, and the seat of a client that lost its connection is reserved for a minute. */
const SEEN_FOR_READS = 240;

/** Checks tokens for rooms: at a join by the rows, for connected clients by the last read. */
export class RevokedTokens {
  readonly #revocations: Revocations;
  #recent: ReadonlyMap<string, number> = new Map();
  /** Each read counts from the oldest of these, so that what is new in one read is in the next ones too. */
  #lookedAtMs: readonly number[] = [];

  constructor(revocations: Revocations) {
    this.#revocations = revocations;
  }

  /** For a loop. */
  tick = async (): Promise<number> => {
    const { nowMs, revoked } = await this.#revocations.recent(this.#lookedAtMs[0]);
    this.#lookedAtMs = [...this.#lookedAtMs, nowMs].slice(-SEEN_FOR_READS);
    this.#recent = new Map(revoked.map(({ key, issuedUntilMs }) => [key, issuedUntilMs]));
    return POLL_EVERY_MS;
  };

  isRevoked(bearer: Bearer): Promise<boolean> {
    return this.#revocations.isRevoked(bearer);
  }

  /** For the token of a client that joined a while ago. */
  wasRevoked({ keys, issuedAtMs }: Bearer): boolean {
    return this.#recent.size > 0 && keys.some((key) => (this.#recent.get(key) ?? -1) >= issuedAtMs);
  }
}
