import { z } from 'zod';

/** The allowed values of each variable. Messages say what to do; none repeats the value. */

export const roles = ['viewer', 'support', 'admin'] as const;

const whole = (minimum: number, maximum: number, otherwise: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, { error: `must be a whole number from ${minimum} to ${maximum}`, abort: true })
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, { error: `must be from ${minimum} to ${maximum}` })
    .default(otherwise);

const url = (protocols: readonly string[]) =>
  z.string().refine((value) => protocols.includes(protocolOf(value)), {
    error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

const protocolOf = (value: string): string => (URL.canParse(value) ? new URL(value).protocol : '');

/** URLs of one Redis or one Cluster; or of its Sentinels, the first with the name of the master. */
export const areRedisUrls = (urls: readonly string[]): boolean => {
  const protocols = urls.map(protocolOf);
  if (protocols.every((protocol) => protocol === 'redis+sentinel:')) {
    return urls.slice(0, 1).every((first) => /^\/[^/]/.test(new URL(first).pathname));
  }
  return protocols.every((protocol) => protocol === 'redis:' || protocol === 'rediss:');
};

const list = (value: string): readonly string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** A star would be taken for a host with that name. */
const isOrigin = (value: string): boolean =>
  URL.canParse(value) && new URL(value).origin === value && !value.includes('*');

const secret = (minimum: number) =>
  z.string().refine((value) => isStrong(value, minimum), {
    error: `must be random and at least ${minimum} characters long: make one with openssl rand -hex 32`,
  });

/** Long enough, and no value of a sample file. */
const isStrong = (value: string, minimum: number): boolean =>
  value.length >= minimum &&
  new Set(value).size >= 8 &&
  !/change.?me|place.?holder|example|password|secret|your.?(key|token)|1234567|abcdefg/i.test(value);

const minimumTokenLength = 24;

const opsTokens = z.string().transform((value, context) => {
  const tokens = list(value).map((entry) => {
    const [, name = '', role = '', token = ''] = /^([^:]*):([^:]*):(.*)$/.exec(entry) ?? [];
    return { name, role: roles.find((known) => known === role), token };
  });
  const fault = (message: string): void => context.addIssue({ code: 'custom', message });
  for (const [index, { name, role, token }] of tokens.entries()) {
    const which = `entry ${index + 1}`;
    if (!/^[\w.-]{1,64}$/.test(name)) fault(`${which} must read name:role:token, the name of letters, digits, . _ -`);
    else if (role === undefined) fault(`${which} must have one of the roles ${roles.join(', ')}`);
    else if (!isStrong(token, minimumTokenLength)) {
      fault(`${which} needs a random token of at least ${minimumTokenLength} characters: openssl rand -hex 24`);
    }
  }
  if (new Set(tokens.map(({ name }) => name)).size < tokens.length) fault('each name must occur once');
  if (new Set(tokens.map(({ token }) => token)).size < tokens.length) fault('each operator needs a token of his own');
  return tokens.map(({ name, role = 'viewer', token }) => ({ name, role, token }));
});

const identifier = /^[a-z_][a-z0-9_]{0,62}$/;

export const Environment = z
  .object({
    PORT: whole(0, 65_535, 2567),
    HOST: z.string().optional(),
    DATABASE_URL: url(['postgres:', 'postgresql:']).optional(),
    KIBBLE_SCHEMA: z.string().regex(identifier, 'must be a plain lower-case name').default('kibble'),
    REDIS_URL: z
      .string()
      .transform(list)
      .pipe(
        z
          .array(z.string())
          .min(1, 'must hold a URL')
          .refine(
            areRedisUrls,
            'must be URLs that start with redis:// or rediss://, or all with redis+sentinel://host/name',
          ),
      )
      .optional(),
    REDIS_PREFIX: z
      .string()
      .regex(/^[\w:.-]{1,64}$/, 'must be letters, digits and : . _ -')
      .default('kibble'),
    ROLE: z.enum(['all', 'gateway', 'worker'], 'must be all, gateway or worker').default('all'),
    PUBLIC_ADDRESS: z
      .string()
      .regex(
        /^(?!\/)(?!.*\/\/)[\w.:/[\]-]{1,255}(?<!\/)$/,
        'must be host, host:port or host/path, without a scheme and without a slash at its end',
      )
      .optional(),
    TRUST_PROXY: whole(0, 10, 0),
    JWT_SECRET: secret(32).optional(),
    JWT_JWKS_URL: url(['https:', 'http:']).optional(),
    JWT_ISSUER: z.string().optional(),
    JWT_AUDIENCE: z.string().optional(),
    OPS_TOKENS: opsTokens.default([]),
    ALLOWED_ORIGINS: z
      .string()
      .transform(list)
      .refine((origins) => origins.every(isOrigin), 'must be origins with commas, such as https://game.example')
      .default([]),
    RULES_FILE: z.string().optional(),
    TIMER_SHARDS: whole(1, 1024, 16),
    DB_POOL: whole(4, 200, 16),
    DRAIN_MS: whole(0, 600_000, 25_000),
    EVENT_RETENTION_DAYS: whole(1, 36_500, 90),
    TIMER_RETENTION_DAYS: whole(1, 36_500, 30),
    LOG_LEVEL: z
      .enum(
        ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
        'must be trace, debug, info, warn, error, fatal or silent',
      )
      .default('info'),
    DEV_TOOLS: z.enum(['0', '1'], 'must be 0 or 1').default('0'),
    DATA_DIR: z.string().default('.kibble/'),
    NODE_ENV: z.string().optional(),
  })
  .transform((env) => ({
    port: env.PORT,
    /** Undefined: all interfaces. */
    host: env.HOST,
    /** Undefined: the embedded Postgres under `dataDir`. */
    databaseUrl: env.DATABASE_URL,
    schema: env.KIBBLE_SCHEMA,
    /** Undefined: the timing wheel. Several: a Redis Cluster. */
    redisUrls: env.REDIS_URL,
    redisPrefix: env.REDIS_PREFIX,
    role: env.ROLE,
    /** The address of this very process, if several stand behind one address. */
    publicAddress: env.PUBLIC_ADDRESS,
    /** The number of our proxies in front: so many `X-Forwarded-For` entries are believed. */
    trustedProxies: env.TRUST_PROXY,
    jwtSecret: env.JWT_SECRET,
    /** Set only together with issuer and audience. */
    jwksUrl: env.JWT_JWKS_URL,
    jwtIssuer: env.JWT_ISSUER,
    jwtAudience: env.JWT_AUDIENCE,
    opsTokens: env.OPS_TOKENS,
    /** Origins besides the server's own. */
    allowedOrigins: env.ALLOWED_ORIGINS,
    rulesFile: env.RULES_FILE,
    /** For the first start; later the row in Postgres counts. */
    timerShards: env.TIMER_SHARDS,
    dbPool: env.DB_POOL,
    drainMs: env.DRAIN_MS,
    eventRetentionDays: env.EVENT_RETENTION_DAYS,
    timerRetentionDays: env.TIMER_RETENTION_DAYS,
    logLevel: env.LOG_LEVEL,
    hasDevTools: env.DEV_TOOLS === '1',
    dataDir: env.DATA_DIR,
    isProduction: env.NODE_ENV === 'production',
  }));

const { DATABASE_URL, KIBBLE_SCHEMA, REDIS_URL, REDIS_PREFIX, RULES_FILE, DATA_DIR, TIMER_SHARDS } =
  Environment.in.shape;

/** The variables of the command `kibble`: the server's that locate it, and two of its own. */
export const CommandEnvironment = z
  .object({
    DATABASE_URL,
    KIBBLE_SCHEMA,
    REDIS_URL,
    REDIS_PREFIX,
    RULES_FILE,
    DATA_DIR,
    TIMER_SHARDS,
    KIBBLE_URL: z
      .string()
      .refine(
        (value) => URL.canParse(value) && /^https?:/.test(value),
        'must be a URL that starts with http:// or https://',
      )
      .optional(),
    KIBBLE_TOKEN: z.string().optional(),
  })
  .transform((env) => ({
    /** The URL of a running server. Undefined: the server that uses `dataDir`. */
    url: env.KIBBLE_URL,
    token: env.KIBBLE_TOKEN,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL,
    schema: env.KIBBLE_SCHEMA,
    redisUrls: env.REDIS_URL,
    redisPrefix: env.REDIS_PREFIX,
    timerShards: env.TIMER_SHARDS,
    rulesFile: env.RULES_FILE,
  }));
