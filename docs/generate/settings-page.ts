import { CommandEnvironment, Environment } from '../../server/settings/config-environment.ts';

type Variable = keyof typeof Environment.in.shape | keyof typeof CommandEnvironment.in.shape;

/** The purpose of a variable, and the option of `createKibble` with the same effect in a game's own server. */
type Words = readonly [about: string, option?: string];

const groups: Readonly<Record<string, Readonly<Partial<Record<Variable, Words>>>>> = {
  'Where it listens': {
    PORT: ['TCP port; 0: any free port'],
    HOST: ['interface; unset: all'],
    PUBLIC_ADDRESS: [
      'the address of this process for clients, if several processes share one address: host, host:port or host/path',
    ],
    TRUST_PROXY: ['number of your proxies in front; the server trusts that many entries of `X-Forwarded-For`'],
    ALLOWED_ORIGINS: ['origins of other pages that may use the server, separated by commas'],
  },
  'Database and Redis': {
    DATABASE_URL: ['your Postgres; unset: the embedded one below `DATA_DIR`', 'pool'],
    KIBBLE_SCHEMA: ['the schema of Kibble’s tables', 'schema'],
    DB_POOL: ['connections to Postgres; locks use up to two, and one more while a job runs', 'pool'],
    REDIS_URL: [
      'Redis 7 or newer ([forms](adopting.md#several-processes)); several URLs with commas: a Cluster, or Sentinels. If unset, the server reads Colyseus’ name `REDIS_URI`; both unset: the timing wheel, for one process',
      'redis',
    ],
    REDIS_PREFIX: ['prefix of all keys and channels in Redis', 'redisPrefix'],
    TIMER_SHARDS: ['number of shards of the first index', 'shards'],
    DATA_DIR: ['folder of the embedded Postgres and of secrets that the server made: never for two containers at once'],
  },
  'What the process does': {
    ROLE: ['`all`; `gateway` has rooms and fires nothing; `worker` fires and has no rooms', 'role'],
    RULES_FILE: [
      'JSON file with foods, cards, levels, `works` (in your own server a module of `modules`); unset: the example game',
      'rules',
    ],
    EVENT_RETENTION_DAYS: ['retention of events, and of replies to repeated commands', 'eventRetentionMs'],
    TIMER_RETENTION_DAYS: ['retention of finished timers', 'timerRetentionMs'],
    DRAIN_MS: [
      'the process stops within this time, ms. `drainMs`, the time for running calls, is 5 s shorter',
      'drainMs',
    ],
    LOG_LEVEL: ['`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`', 'log'],
    DEV_TOOLS: ['`1`: testers may advance due times; no limits by address. Never in production'],
    NODE_ENV: ['`production` turns on the stricter checks of all settings'],
  },
  'Who is who': {
    JWT_SECRET: [
      'signs the tokens of guests; without `JWT_JWKS_URL` your own accounts’ tokens may be signed with it too (HS256, HS384, HS512); at least 32 random characters',
    ],
    JWT_JWKS_URL: ['the issuer’s public keys for your own accounts’ tokens; needs the next two variables'],
    JWT_ISSUER: [
      'required `iss` of your own accounts’ tokens; without it and without `JWT_JWKS_URL` any issuer is accepted',
    ],
    JWT_AUDIENCE: ['required `aud` of your own accounts’ tokens; needs `JWT_ISSUER`'],
    OPS_TOKENS: ['operators: `name:role:token`, separated by commas; roles `viewer`, `support`, `admin`'],
  },
  'The command `kibble`': {
    KIBBLE_URL: [
      'the running server, or its operators’ page if that is not at `/ops`; unset: the server that uses `DATA_DIR`',
    ],
    KIBBLE_TOKEN: ['an operator’s token; unset, and without `KIBBLE_URL` and `--url`: `DATA_DIR/operator-token`'],
  },
};

const schemas: Readonly<Record<string, { safeParse(value: undefined): { data?: unknown } }>> = {
  ...CommandEnvironment.in.shape,
  ...Environment.in.shape,
};

/** Every variable must be in a group: a forgotten one throws. */
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

These variables configure the reference server (\`npm start\`, the image) and the command \`kibble\`. The start checks all of them and lists all
faults at once; an empty value counts as unset. A game's own server uses options of \`createKibble\` instead: the last column
names them.

${Object.entries(checked())
  .map(
    ([title, group]) =>
      `## ${title}\n\n| variable | default | what it is for | in your own server |\n|---|---|---|---|\n${Object.entries(group).map(row).join('\n')}`,
  )
  .join('\n\n')}

With \`DATABASE_URL\` or \`REDIS_URL\` you must also set secrets: \`JWT_SECRET\` or \`JWT_JWKS_URL\`, and \`OPS_TOKENS\`. Without these two URLs the server makes the secrets once in
\`DATA_DIR\`. For production see [SECURITY.md](../SECURITY.md). \`limits\` in \`server/settings/config.ts\` has bounds that are not for operators (batches, pages,
rates).
`;
