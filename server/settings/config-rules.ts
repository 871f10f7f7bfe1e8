type Set = Readonly<Record<string, string | undefined>>;

/** Faults between variables: each is valid, but together they are unsafe or cannot work. */
export const faultsBetweenSettings = (set: Set): readonly string[] =>
  rules.filter(({ isBroken }) => isBroken(set)).map(({ fault }) => fault);

interface Rule {
  isBroken(set: Set): boolean;
  readonly fault: string;
}

/** With an operator's own database it is more than a trial on one machine: then no secret is made up. */
const isServed = (set: Set): boolean => Boolean(set.DATABASE_URL ?? set.REDIS_URL);

const rules: readonly Rule[] = [
  {
    isBroken: (set) => Boolean(set.JWT_SECRET) && tokensIn(set.OPS_TOKENS).includes(set.JWT_SECRET ?? ''),
    fault: 'JWT_SECRET: must not be an operator’s token as well: make another one (openssl rand -hex 32)',
  },
  {
    isBroken: (set) => set.JWT_ISSUER === 'kibble-guest',
    fault: 'JWT_ISSUER: must not be kibble-guest, the name under which guests are signed in: use your issuer’s own',
  },
  {
    isBroken: (set) => Boolean(set.JWT_AUDIENCE) && !set.JWT_ISSUER && !set.JWT_JWKS_URL,
    fault: 'JWT_ISSUER: must be set with JWT_AUDIENCE, or tokens of any issuer would be accepted',
  },
  {
    isBroken: (set) => isProduction(set) && isWellKnown(set.DATABASE_URL ?? ''),
    fault: 'DATABASE_URL: must not have a well-known password in production: make one (openssl rand -hex 24)',
  },
  {
    isBroken: (set) => isProduction(set) && listed(set.REDIS_URL).some(isWellKnown),
    fault: 'REDIS_URL: must not have a well-known password in production: make one (openssl rand -hex 24)',
  },
  {
    isBroken: (set) => isProduction(set) && listed(set.ALLOWED_ORIGINS).some(isReadOnTheWay),
    fault:
      'ALLOWED_ORIGINS: must be https in production: a page that anybody on the way can change has the players’ tokens',
  },
  {
    isBroken: (set) => set.NODE_TLS_REJECT_UNAUTHORIZED === '0' && (isServed(set) || isProduction(set)),
    fault:
      'NODE_TLS_REJECT_UNAUTHORIZED: must not be 0: nobody would check whom Postgres, Redis and the keys come from; set NODE_EXTRA_CA_CERTS',
  },
  {
    isBroken: (set) => isProduction(set) && /(^|\s)--inspect/.test(set.NODE_OPTIONS ?? ''),
    fault: 'NODE_OPTIONS: must not have --inspect in production: anybody who reaches its port can run code here',
  },
  {
    isBroken: (set) => isProduction(set) && /(^|[\s,])(\*|colyseus|express|body-parser)/.test(set.DEBUG ?? ''),
    fault: 'DEBUG: must not be set for Colyseus or Express in production: they print what players send; unset it',
  },
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
    isBroken: (set) => isPlainHttp(set.JWT_JWKS_URL) && isProduction(set),
    fault: 'JWT_JWKS_URL: must be https in production, or anybody between could put his own keys there',
  },
  {
    isBroken: (set) => set.DEV_TOOLS === '1' && isProduction(set),
    fault:
      'DEV_TOOLS: must not be 1 with NODE_ENV=production: it lets a tester move time and lifts limits; unset one of them',
  },
  {
    isBroken: (set) => (set.ROLE === 'gateway' || set.ROLE === 'worker') && !(set.DATABASE_URL && set.REDIS_URL),
    fault: 'ROLE: gateway and worker are several processes and need both DATABASE_URL and REDIS_URL; or unset ROLE',
  },
];

const isProduction = (set: Set): boolean => set.NODE_ENV === 'production';

const listed = (value: string | undefined): readonly string[] => (value ?? '').split(',').map((part) => part.trim());

/** Pages on this very machine belong to a developer. */
const isReadOnTheWay = (origin: string): boolean =>
  isPlainHttp(origin) && !/^http:\/\/(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/.test(origin);

/** Passwords of samples, images and this repository. */
const isWellKnown = (url: string): boolean => {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return password !== '' && (password === username || WELL_KNOWN.test(decoded(password)));
};

const WELL_KNOWN =
  /^(postgres|postgresql|redis|kibble|root|admin|guest|test|foobared|pass(word|wd)?\d*|secret\d*|12345\d*|change.?me)$/i;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const tokensIn = (opsTokens: string | undefined): readonly string[] =>
  listed(opsTokens).map((entry) => entry.split(':').slice(2).join(':'));

const isPlainHttp = (url: string | undefined): boolean => url?.startsWith('http:') ?? false;
