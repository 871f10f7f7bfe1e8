import { CommandEnvironment, Environment } from '../../server/settings/config-environment.ts';

type Variable = keyof typeof Environment.in.shape | keyof typeof CommandEnvironment.in.shape;

/** What a variable is for, and the option of `createKibble` that is the same in a game's own server. */
type Words = readonly [about: string, option?: string];

const groups: Readonly<Record<string, Readonly<Partial<Record<Variable, Words>>>>> = {
  'Where it listens': {
    PORT: ['TCP port; 0: any free one'],
    HOST: ['interface; unset: all'],
    PUBLIC_ADDRESS: [
      'where clients reach this very process, when several stand behind one address: host, host:port or host/path',
    ],
    TRUST_PROXY: ['how many proxies of yours stand in front; so many entries of `X-Forwarded-For` are believed'],
    ALLOWED_ORIGINS: ['origins of pages that may use the server besides its own, with commas'],
  },
  'Database and Redis': {
    DATABASE_URL: ['your Postgres; unset: the embedded one below `DATA_DIR`', 'pool'],
    KIBBLE_SCHEMA: ['the schema of Kibble’s tables', 'schema'],
    DB_POOL: ['connections to Postgres; up to two are held by locks', 'pool'],
    REDIS_URL: [
      'Redis 7 or newer ([forms](adopting.md#several-processes)); several URLs with commas: a Cluster, or Sentinels; where it is unset `REDIS_URI` is read, as Colyseus names it; both unset: the timing wheel, for one process',
      'redis',
    ],
    REDIS_PREFIX: ['what all keys and channels in Redis begin with', 'redisPrefix'],
    TIMER_SHARDS: ['shards of the index, when there is none yet', 'shards'],
    DATA_DIR: ['folder of the embedded Postgres and of secrets that were made at start'],
  },
  'What the process does': {
    ROLE: ['`all`; `gateway` has rooms and fires nothing; `worker` fires and has no rooms', 'role'],
    RULES_FILE: ['JSON file with foods, cards, levels, `works`; unset: the example game', 'rules'],
    EVENT_RETENTION_DAYS: ['how long events are kept, and the replies to commands sent again', 'eventRetentionMs'],
    TIMER_RETENTION_DAYS: ['how long finished timers are kept', 'timerRetentionMs'],
    DRAIN_MS: ['how long a process that stops may take, ms', 'drainMs'],
    LOG_LEVEL: ['`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`', 'log'],
    DEV_TOOLS: ['`1`: testers may bring feedings nearer. Never in production'],
    NODE_ENV: ['`production` turns on the stricter checks of all settings'],
  },
  'Who is who': {
    JWT_SECRET: ['signs the tokens of guests; at least 32 random characters'],
    JWT_JWKS_URL: ['keys of your own accounts’ tokens; with the next two'],
    JWT_ISSUER: ['`iss` that such a token must have'],
    JWT_AUDIENCE: ['`aud` that such a token must have'],
    OPS_TOKENS: ['operators: `name:role:token`, with commas; roles `viewer`, `support`, `admin`'],
  },
  'The command `kibble`': {
    KIBBLE_URL: [
      'the running server, or its operators’ page where that is not `/ops`; unset: the one that works on `DATA_DIR`',
    ],
    KIBBLE_TOKEN: ['an operator’s token; unset: `DATA_DIR/operator-token`'],
  },
};

const schemas: Readonly<Record<string, { safeParse(value: undefined): { data?: unknown } }>> = {
  ...CommandEnvironment.in.shape,
  ...Environment.in.shape,
};

/** Every variable has to be in one group: one that is forgotten is no page. */
const checked = (): typeof groups => {
  const told = Object.values(groups).flatMap((group) => Object.keys(group));
  const untold = Object.keys(schemas).filter((name) => !told.includes(name));
  if (untold.length > 0) throw new Error(`docs/generate/settings-page.ts has no words for ${untold.join(', ')}`);
  return groups;
};

const defaultOf = (name: string): string => {
  const value = schemas[name]?.safeParse(undefined).data;
  const isNone = value === undefined || (Array.isArray(value) && value.length === 0);
  return isNone ? '' : `\`${value}\``;
};

const row = ([name, [about, option]]: [string, Words]): string =>
  `| \`${name}\` | ${defaultOf(name)} | ${about} | ${option === undefined ? '' : `\`${option}\``} |`;

/** docs/settings.md: each variable of the reference server and of the command, from the schemas that check them. */
export const settingsPage = (): string => `<!-- Made by \`npm run docs\` from server/settings and docs/generate. -->
# Settings

The reference server (\`npm start\`, the image) and the command \`kibble\` are set by these variables. All are checked at start, and all
faults are listed at once; an empty value counts as unset. In a game's own server there are no variables: the last column
names the option of \`createKibble\`.

${Object.entries(checked())
  .map(
    ([title, group]) =>
      `## ${title}\n\n| variable | default | what it is for | in your own server |\n|---|---|---|---|\n${Object.entries(group).map(row).join('\n')}`,
  )
  .join('\n\n')}

A \`DATABASE_URL\` asks for secrets too: \`JWT_SECRET\` or \`JWT_JWKS_URL\`, and \`OPS_TOKENS\`. On the embedded database they are made once and lie in
\`DATA_DIR\`. [SECURITY.md](../SECURITY.md) says how to set all this for production. Bounds that are not for operators (batches, pages, rates) stand in
\`server/settings/config.ts\`, \`limits\`.
`;
