import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
  SignJWT,
} from 'jose';
import { GUEST_DAYS } from '../home/revocations.ts';

/** The identity in a verified token. */
export interface Identity {
  readonly sub: string;
  readonly iss: string;
  readonly isGuest: boolean;
  /** Its `jti`; a guest's tokens share one from sign-in on. */
  readonly tokenId: string | undefined;
  /** When the guest signed in, or the issuer issued the token; 0 if it does not say. */
  readonly issuedAtMs: number;
  /** All claims of the token, for a game that derives its player ids from another claim. */
  readonly claims: Readonly<Record<string, unknown>>;
}

export type TokenRefusal = 'auth/missing' | 'auth/expired' | 'auth/refused';

/** The token does not prove an identity. The message never repeats the token. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  readonly code: TokenRefusal;

  constructor(code: TokenRefusal, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

export interface Tokens {
  /**
   * A guest's token: for a new guest, or for the guest with this `sub`. A renewed token retains the fields of `old` by
   * which it can be revoked. Undefined: no guests here.
   */
  signGuest(sub?: string, old?: Pick<Identity, 'tokenId' | 'issuedAtMs'>): Promise<string | undefined>;
  /** Throws `TokenRefused`; another error if the issuer's keys cannot be loaded. */
  verify(token: string | undefined): Promise<Identity>;
}

export interface TokenSettings {
  /** Signs guests' tokens; without `jwksUrl` also verifies tokens of `jwtIssuer`. Undefined: no guests. */
  readonly jwtSecret: string | undefined;
  readonly jwksUrl?: string | undefined;
  /** The issuer of valid tokens besides guests'. Without it, tokens with the secret may name any issuer or none. */
  readonly jwtIssuer?: string | undefined;
  readonly jwtAudience?: string | undefined;
}

const GUEST_ISSUER = 'kibble-guest';
const GUEST = 'guest:';
const SECRET_ALGORITHMS = ['HS256', 'HS384', 'HS512'];
const KEY_SET_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
/** The issuer's clock may be ahead: its newest tokens would not be valid yet (`nbf`). Its tokens also end later by that. */
export const ISSUERS_CLOCK_S = 5;
/** Faults of the issuer, not of the token; `GENERIC` is a response other than 200. */
const KEY_SET_FAULTS: readonly string[] = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'];

/** Issues guests' tokens and verifies all tokens. The allowed algorithms are fixed here, not by the token. */
export const createTokens = (settings: TokenSettings, uniqueName: () => string): Tokens => {
  const secret = settings.jwtSecret === undefined ? undefined : new TextEncoder().encode(settings.jwtSecret);
  const issuers = issuersOf(settings, secret);
  return {
    signGuest: async (sub = `${GUEST}${uniqueName()}`, old) =>
      secret &&
      new SignJWT(old && { auth_time: Math.floor(old.issuedAtMs / 1_000) })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(GUEST_ISSUER)
        .setSubject(sub)
        .setJti(old?.tokenId ?? uniqueName())
        .setIssuedAt()
        .setExpirationTime(`${GUEST_DAYS}d`)
        .sign(secret),
    verify: async (token) => {
      if (!token) throw new TokenRefused('auth/missing');
      const issuer = issuers.get(issuerIn(token)) ?? issuers.get(undefined);
      if (!issuer) throw new TokenRefused('auth/refused');
      return identityOf(await claimsIn(token, issuer));
    },
  };
};

interface Issuer {
  readonly key: JWTVerifyGetKey;
  readonly options: JWTVerifyOptions;
}

const issuersOf = (
  { jwksUrl, jwtIssuer, jwtAudience }: TokenSettings,
  secret: Uint8Array | undefined,
): ReadonlyMap<string | undefined, Issuer> => {
  const requiredClaims = ['sub', 'exp'];
  const bySecret = secret && (async () => secret);
  const key = jwksUrl === undefined ? bySecret : keySetAt(new URL(jwksUrl));
  const algorithms = jwksUrl === undefined ? SECRET_ALGORITHMS : KEY_SET_ALGORITHMS;
  const audience = jwtAudience === undefined ? {} : { audience: jwtAudience };
  const issuers = new Map<string | undefined, Issuer>();
  // A key set may serve many issuers, so it needs an issuer.
  if (key && (jwtIssuer !== undefined || jwksUrl === undefined)) {
    const issuer = jwtIssuer === undefined ? {} : { issuer: jwtIssuer };
    const options = { algorithms, ...issuer, requiredClaims, ...audience, clockTolerance: ISSUERS_CLOCK_S };
    issuers.set(jwtIssuer, { key, options });
  }
  // Last, so that no setting can replace the guests' issuer.
  if (bySecret) {
    const options = { algorithms: ['HS256'], issuer: GUEST_ISSUER, requiredClaims };
    issuers.set(GUEST_ISSUER, { key: bySecret, options });
  } else issuers.delete(GUEST_ISSUER);
  return issuers;
};

/** While the issuer does not answer, its known keys stay good. */
const keySetAt = (url: URL): JWTVerifyGetKey => {
  const keys = createRemoteJWKSet(url);
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      const known = keys.jwks();
      if (!known || isOfToken(error)) throw error;
      return createLocalJWKSet(known)(header, token).catch(() => Promise.reject(error));
    }
  };
};

const isOfToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError && !KEY_SET_FAULTS.includes(error.code);

/** The claimed issuer of a token: it only selects the key for the verification. */
const issuerIn = (token: string): string | undefined => {
  try {
    return decodeJwt(token).iss;
  } catch (error) {
    throw new TokenRefused('auth/refused', error);
  }
};

const claimsIn = async (token: string, { key, options }: Issuer): Promise<JWTPayload> => {
  try {
    const { payload } = await jwtVerify(token, key, options);
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new TokenRefused('auth/expired', error);
    throw isOfToken(error) ? new TokenRefused('auth/refused', error) : error;
  }
};

/** Only we issue guests' tokens, and we issue no others. */
const identityOf = (claims: JWTPayload): Identity => {
  const { sub = '', iss = '', jti: tokenId, iat = 0 } = claims;
  // The signer may have written any value.
  if (typeof sub !== 'string' || typeof iss !== 'string') throw new TokenRefused('auth/refused');
  if (tokenId !== undefined && typeof tokenId !== 'string') throw new TokenRefused('auth/refused');
  const isGuest = sub.startsWith(GUEST);
  if (isGuest !== (iss === GUEST_ISSUER)) throw new TokenRefused('auth/refused');
  const issuedAtS = isGuest ? (claims.auth_time ?? iat) : iat;
  const issuedAtMs = typeof issuedAtS === 'number' ? Math.max(0, issuedAtS * 1_000) : 0;
  return { sub, iss, isGuest, tokenId, issuedAtMs, claims };
};
