type Set = Readonly<Record<string, string | undefined>>;

/** Faults that lie between variables: each is well-formed, and together they are unsafe or cannot work. */
export const faultsBetween = (set: Set): readonly string[] =>
  rules.filter(({ isBroken }) => isBroken(set)).map(({ fault }) => fault);

interface Rule {
  isBroken(set: Set): boolean;
  readonly fault: string;
}

/** Somebody's own database means more than a trial on one machine: then no secret is made up. */
const isServed = (set: Set): boolean => Boolean(set.DATABASE_URL ?? set.REDIS_URL);

const rules: readonly Rule[] = [
  {
    isBroken: (set) => isServed(set) && !set.JWT_SECRET && !set.JWT_JWKS_URL,
    fault:
      'JWT_SECRET: must be set with DATABASE_URL or REDIS_URL, at least 32 random characters (openssl rand -hex 32); or set JWT_JWKS_URL',
  },
  {
    isBroken: (set) => isServed(set) && !set.OPS_TOKENS,
    fault:
      'OPS_TOKENS: must be set with DATABASE_URL or REDIS_URL: name:role:token, the token at least 24 random characters (openssl rand -hex 24)',
  },
  {
    isBroken: (set) => Boolean(set.JWT_JWKS_URL) && !set.JWT_ISSUER,
    fault: 'JWT_ISSUER: must be set with JWT_JWKS_URL, or tokens made for others would be accepted',
  },
  {
    isBroken: (set) => Boolean(set.JWT_JWKS_URL) && !set.JWT_AUDIENCE,
    fault: 'JWT_AUDIENCE: must be set with JWT_JWKS_URL, or tokens made for others would be accepted',
  },
  {
    isBroken: (set) => isPlainHttp(set.JWT_JWKS_URL) && set.NODE_ENV === 'production',
    fault: 'JWT_JWKS_URL: must be https in production, or anybody between could put his own keys there',
  },
  {
    isBroken: (set) => set.DEV_TOOLS === '1' && set.NODE_ENV === 'production',
    fault: 'DEV_TOOLS: must not be 1 with NODE_ENV=production: it lets a tester move time; unset one of them',
  },
  {
    isBroken: (set) => (set.ROLE === 'gateway' || set.ROLE === 'worker') && !(set.DATABASE_URL && set.REDIS_URL),
    fault: 'ROLE: gateway and worker are several processes and need both DATABASE_URL and REDIS_URL; or unset ROLE',
  },
];

const isPlainHttp = (url: string | undefined): boolean => url?.startsWith('http:') ?? false;
