import { PostgresBackend } from '@agendajs/postgres-backend';
import { Agenda } from 'agenda';
import { Pool } from 'pg';
import { type OpenSystem, ownerOf, POOL_SIZE } from '../measure/timer-system.ts';

const JOB = 'timers';
const PROCESS_EVERY_MS = 1_000;
const CONCURRENCY = 1_000;

type AgendaJob = Awaited<ReturnType<Agenda['schedule']>>;

/** It has no ids of the caller, so the adapter retains its job handles: the best case, without a look-up. */
export const open: OpenSystem = async ({ postgresUrl }) => {
  const pool = new Pool({ connectionString: postgresUrl, max: POOL_SIZE });
  const agenda = new Agenda({
    backend: new PostgresBackend({ pool } as never),
    processEvery: PROCESS_EVERY_MS,
    maxConcurrency: CONCURRENCY,
    defaultConcurrency: CONCURRENCY,
    defaultLockLimit: 0,
    lockLimit: 0,
  } as never);
  agenda.on('error', () => undefined);
  await (agenda as unknown as { readonly ready: Promise<void> }).ready;
  const jobs = new Map<number, AgendaJob>();

  return {
    settings: `pool ${POOL_SIZE}, processEvery ${PROCESS_EVERY_MS} ms, concurrency ${CONCURRENCY}, lock limits 0, removeOnComplete; a change is schedule().save() of the kept Job, cancel is agenda.cancel; no bulk call`,
    schedule: async ({ id, dueAtMs }) => {
      jobs.set(id, await agenda.schedule(new Date(dueAtMs), JOB, { id, owner: ownerOf(id) } as never));
    },
    reschedule: async (id, dueAtMs) => {
      const job = jobs.get(id);
      if (job === undefined) return 'too-late';
      job.schedule(new Date(dueAtMs));
      await job.save();
      return 'silent';
    },
    cancel: async (id) => {
      const cancelled = await agenda.cancel({ id: String(jobs.get(id)?.attrs._id) } as never);
      return cancelled === 1 ? 'applied' : 'too-late';
    },
    start: async (fires) => {
      const handle = async ({ attrs }: AgendaJob): Promise<void> =>
        fires.handle([(attrs.data as unknown as { readonly id: number }).id]);
      agenda.define(JOB, handle as never, { removeOnComplete: true, lockLimit: 0, concurrency: CONCURRENCY } as never);
      await agenda.start();
    },
  };
};
