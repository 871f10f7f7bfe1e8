import type { RedisSettings } from '../../harness/stores.ts';
import type { OpenSystem } from './timer-system.ts';

export interface Contender {
  readonly name: string;
  /** Ours; another product; or the least code on the same store with the same meaning: the physical limit. */
  readonly sort: 'ours' | 'peer' | 'raw';
  readonly file: string;
  readonly variant?: string;
  /** Settings other than Redis' defaults `hz 10` and `appendfsync everysec`. */
  readonly redis?: RedisSettings;
  /** Guarantees of ours that it lacks. */
  readonly givesUp?: string;
}

const REDIS_ALONE =
  'durability: timers are in Redis alone, whose file is a second behind; nothing is committed, and the effect is a second step';
const TWO_STEPS = 'once: fire and effect are two steps, and a crash between them repeats or loses the effect';
const TWO_STORES = `${TWO_STEPS}; a change of a timer is in no transaction of Postgres`;
const ALWAYS: RedisSettings = { appendfsync: 'always' };

export const RAW_REDIS = 'raw Redis';
export const RAW_STREAM = 'raw Redis + Stream';
export const RAW_POSTGRES = 'raw Postgres, coalesced';
export const BULLMQ = 'BullMQ';
/** With its promise that accepted jobs are on disk, as with ours. */
export const BULLMQ_ALWAYS = 'BullMQ, always';
export const PG_BOSS = 'pg-boss';
export const ON_WHEEL = 'Kibble on the wheel';
export const ON_REDIS = 'Kibble on Redis';

/** In the order of the tables. */
export const contenders: readonly Contender[] = [
  { name: ON_WHEEL, sort: 'ours', file: '../systems/kibble.ts', variant: 'wheel' },
  { name: ON_REDIS, sort: 'ours', file: '../systems/kibble.ts', variant: 'redis' },
  { name: 'Kibble on Redis, always', sort: 'ours', file: '../systems/kibble.ts', variant: 'redis', redis: ALWAYS },
  { name: RAW_REDIS, sort: 'raw', file: '../systems/raw-redis.ts' },
  { name: RAW_STREAM, sort: 'raw', file: '../systems/raw-redis.ts', variant: 'stream' },
  { name: RAW_POSTGRES, sort: 'raw', file: '../systems/raw-postgres.ts' },
  { name: 'memory (setTimeout)', sort: 'raw', file: '../systems/memory.ts' },
  { name: BULLMQ, sort: 'peer', file: '../products/bullmq.ts', givesUp: REDIS_ALONE },
  { name: BULLMQ_ALWAYS, sort: 'peer', file: '../products/bullmq.ts', redis: ALWAYS, givesUp: TWO_STORES },
  {
    name: 'BullMQ, Redis hz 500',
    sort: 'peer',
    file: '../products/bullmq.ts',
    redis: { hz: '500' },
    givesUp: REDIS_ALONE,
  },
  { name: PG_BOSS, sort: 'peer', file: '../products/pg-boss.ts', givesUp: TWO_STEPS },
  { name: 'graphile-worker', sort: 'peer', file: '../products/graphile-worker.ts', givesUp: TWO_STEPS },
  {
    name: 'graphile-worker by id',
    sort: 'peer',
    file: '../products/graphile-worker.ts',
    variant: 'by-id',
    givesUp: TWO_STEPS,
  },
  { name: 'DBOS', sort: 'peer', file: '../products/dbos.ts', givesUp: TWO_STEPS },
  { name: 'agenda on Postgres', sort: 'peer', file: '../products/agenda.ts', givesUp: TWO_STEPS },
];

/** Also measured with a million waiting timers. */
export const largeContenders: readonly string[] = [ON_WHEEL, ON_REDIS, BULLMQ, BULLMQ_ALWAYS, PG_BOSS];

/** Contenders with more rounds for their calls. */
export const paired: readonly string[] = [ON_WHEEL, ON_REDIS, BULLMQ, BULLMQ_ALWAYS];

/** Throws for an unknown name. */
export const contenderNamed = (name: string): Contender => {
  const contender = contenders.find((each) => each.name === name);
  if (contender === undefined) throw new Error(`no contender ${name}`);
  return contender;
};

/** Loads only this contender's file: the products are packages of their own, installed only for a measurement. */
export const openerOf = async ({ file }: Contender): Promise<OpenSystem> => {
  const loaded = (await import(file)) as { readonly open: OpenSystem };
  return loaded.open;
};
