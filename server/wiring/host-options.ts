import type { Registry } from '@prometheus-io/client';
import type { Pool } from 'pg';
import { moduleSchema } from '../../shared/module/check-module.ts';
import type { FaultAt } from '../../shared/options/schema.ts';
import {
  anything,
  callable,
  fields,
  flag,
  having,
  LONGEST_DELAY_MS,
  list,
  listOfNamed,
  matching,
  notBoth,
  oneOf,
  textUpTo,
  value,
  whole,
  wholeMs,
} from '../../shared/options/shapes.ts';
import type { Consumer } from '../home/log/consumer.ts';
import type { Inventory } from '../home/model/inventory.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { areRedisUrls } from '../settings/config-environment.ts';
import { timerKinds } from '../timer/model/kind-shape.ts';

const DAY_MS = 86_400_000;
const MOST_SHARDS = 1024;
const LONGEST_CONSUMER = 64;

const retention = wholeMs({ min: 0, max: 36_500 * DAY_MS }).optional();

/** No value is repeated: it may have a password. */
const redisUrls = value<string>(
  (given) => typeof given === 'string' && areRedisUrls(given.split(',').map((url) => url.trim())),
  {
    what: 'is no URL of a Redis',
    remedy: 'give redis:// or rediss://, several with commas, or the Sentinels alone: redis+sentinel://host:port/name',
  },
);

const registry = value<Registry>(
  (given) => {
    const { getSingleMetric } = (given ?? {}) as Partial<Registry>;
    return typeof getSingleMetric === 'function' && !getSingleMetric.call(given, 'kibble_timers_fired_total');
  },
  { what: 'is no registry, or belongs to another Kibble', remedy: 'give a `Registry` of its own' },
);

/** The common options of `createTimers` and `createKibble`. */
const ground = {
  pool: having<Pool>('query', 'connect', 'on'),
  schema: matching(
    /^[a-z_][a-z0-9_]{0,62}$/,
    'give a plain lower-case name: a-z, 0-9 and _, at most 63 characters',
  ).optional(),
  redis: redisUrls.optional(),
  redisPrefix: matching(/^[\w:.-]{1,64}$/, 'give 1 to 64 of A-Z a-z 0-9 : . _ -').optional(),
  shards: whole({ min: 1, max: MOST_SHARDS }).optional(),
  drainMs: wholeMs({ min: 0, max: LONGEST_DELAY_MS }).optional(),
  deadRetentionMs: retention,
  clock: value<ManualClock>((given) => given instanceof ManualClock, 'give a `ManualClock` of this package').optional(),
  log: having<EngineLog>('info', 'warn', 'error').optional(),
  metrics: registry.optional(),
};

/** Of `createTimers`. */
export const timersShape = { ...ground, fires: flag.optional(), kinds: timerKinds, retentionMs: retention };

export const consumerName = textUpTo(LONGEST_CONSUMER);

const consumer = fields<Consumer>({
  name: consumerName,
  from: oneOf(['now', 'oldest']).optional(),
  handle: callable,
});

/** Of `createKibble`. */
export const kibbleShape = {
  ...ground,
  playerId: callable,
  role: oneOf(['all', 'gateway', 'worker']).optional(),
  modules: listOfNamed<{ readonly name?: unknown }>(moduleSchema, 'name').optional(),
  retired: list(textUpTo(32)).optional(),
  /** The module that they are for reads them, and says all their faults. */
  rules: anything.optional(),
  rulesFrom: oneOf(['file', 'operator']).optional(),
  inventory: having<Inventory>('load', 'apply').optional(),
  items: list(textUpTo(128)).optional(),
  kinds: timerKinds.optional(),
  consumers: listOfNamed(consumer, 'name').optional(),
  eventRetentionMs: retention,
  timerRetentionMs: retention,
};

/** Rules belong to one module: with several it would be unknown to which. */
const rulesBesideModules = notBoth('rules', 'modules', {
  remedy: 'give the rules to the module that they are for',
});

interface OfOthers {
  readonly redis?: unknown;
  readonly role?: unknown;
  readonly fires?: unknown;
}

/** Only with Redis do other processes fire the timers of one that fires none. */
export const othersFire = ({ redis, role, fires }: OfOthers): readonly FaultAt[] => {
  if (redis !== undefined || (role !== 'gateway' && fires !== false)) return [];
  const remedy = 'give `redis`, or leave it out';
  return [{ at: [role === 'gateway' ? 'role' : 'fires'], what: 'without `redis` means that no process fires', remedy }];
};

/** Of `createKibble`: faults between its options. */
export const besideEachOther = (given: OfOthers & Parameters<typeof rulesBesideModules>[0]): readonly FaultAt[] => [
  ...rulesBesideModules(given),
  ...othersFire(given),
];

/** The arguments of `lifecycle.beside`. */
export const besideArguments = fields({ database: having<{ boot(): unknown }>('boot') });

const SHORTEST_TOKEN = 24;

const operator = fields({
  name: textUpTo(128),
  role: oneOf(['viewer', 'support', 'admin']),
  token: value<string>((given) => typeof given === 'string' && given.length >= SHORTEST_TOKEN, {
    what: 'is no token, or too short',
    remedy: `give at least ${SHORTEST_TOKEN} characters (openssl rand -hex 24)`,
  }),
});

/** Of `addOpsApi`. */
export const opsApiArguments = fields({
  app: having<{ use(): unknown }>('use'),
  options: fields({
    ops: having<{ handlers(): unknown }>('handlers'),
    operators: listOfNamed<{ readonly name?: unknown }>(operator, 'name'),
    path: matching(/^\/[\w.~/-]*$/, 'give a path such as "/ops"').optional(),
    hasDevTools: flag.optional(),
    onFault: callable.optional(),
  }),
});
