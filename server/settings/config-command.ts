import { z } from 'zod';
import { Environment } from './config-environment.ts';

const { DATABASE_URL, KIBBLE_SCHEMA, REDIS_URL, REDIS_PREFIX, RULES_FILE, DATA_DIR, TIMER_SHARDS } =
  Environment.in.shape;

/** The variables of the command `kibble`: those of the server that say where things are, and two of its own. */
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
    /** Of a running server. Undefined: the one that works on `dataDir`. */
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
