import type { OpenSystem } from './timer-system.ts';

export interface Contender {
  readonly name: string;
  /** Ours; what others offer; or the least code on the same store that keeps the meaning: the physical limit. */
  readonly sort: 'ours' | 'peer' | 'raw';
  readonly file: string;
  readonly variant?: string;
  /** What it does not keep that ours keep. */
  readonly givesUp?: string;
}

const REDIS_ALONE =
  'durability: timers are in Redis alone, whose file is a second behind; nothing is committed, and the effect is a second step';
const TWO_STEPS = 'once: fire and effect are two steps, and a crash between them repeats or loses the effect';

export const RAW_REDIS = 'raw Redis';
export const RAW_STREAM = 'raw Redis + Stream';
export const RAW_POSTGRES = 'raw Postgres, coalesced';
export const BULLMQ = 'BullMQ';

/** In the order of the tables. */
export const contenders: readonly Contender[] = [
  { name: 'Kibble on the wheel', sort: 'ours', file: './systems/kibble.ts', variant: 'wheel' },
  { name: 'Kibble on Redis', sort: 'ours', file: './systems/kibble.ts', variant: 'redis' },
  { name: RAW_REDIS, sort: 'raw', file: './systems/raw-redis.ts' },
  { name: RAW_STREAM, sort: 'raw', file: './systems/raw-redis.ts', variant: 'stream' },
  { name: RAW_POSTGRES, sort: 'raw', file: './systems/raw-postgres.ts' },
  { name: 'memory (setTimeout)', sort: 'raw', file: './systems/memory.ts' },
  { name: BULLMQ, sort: 'peer', file: './products/bullmq.ts', givesUp: REDIS_ALONE },
  { name: 'BullMQ, Redis hz 500', sort: 'peer', file: './products/bullmq.ts', variant: '500', givesUp: REDIS_ALONE },
  { name: 'pg-boss', sort: 'peer', file: './products/pg-boss.ts', givesUp: TWO_STEPS },
  { name: 'graphile-worker', sort: 'peer', file: './products/graphile-worker.ts', givesUp: TWO_STEPS },
  {
    name: 'graphile-worker by id',
    sort: 'peer',
    file: './products/graphile-worker.ts',
    variant: 'by-id',
    givesUp: TWO_STEPS,
  },
  { name: 'DBOS', sort: 'peer', file: './products/dbos.ts', givesUp: TWO_STEPS },
  { name: 'agenda on Postgres', sort: 'peer', file: './products/agenda.ts', givesUp: TWO_STEPS },
];

/** Also measured with many timers pending. */
export const largeContenders: readonly string[] = [
  ...contenders.filter(({ sort }) => sort === 'ours').map(({ name }) => name),
  ...[RAW_REDIS, RAW_STREAM, RAW_POSTGRES, BULLMQ, 'pg-boss'],
];

/** Loads this one's file alone: the products are packages of their own, installed only where peers are measured. */
export const openerOf = async ({ file }: Contender): Promise<OpenSystem> => {
  const loaded = (await import(file)) as { readonly open: OpenSystem };
  return loaded.open;
};
