import type { Pool } from 'pg';
import { OPS_TOKEN, type ServerNode } from '../../chaos/world/node.ts';
import type { Series } from './flat.ts';

const MB = 1_048_576;

/** The cost of a running game, sample by sample. Memory is of the processes that are never started again. */
export class Watch {
  readonly #pool: Pool;
  readonly #lasting: readonly ServerNode[];
  readonly #startedAtMs = performance.now();
  readonly #samples: { readonly atS: number; readonly values: Readonly<Record<string, number>> }[] = [];
  #before: { readonly atMs: number; readonly walBytes: number; readonly events: number } | undefined;

  constructor(pool: Pool, lasting: readonly ServerNode[]) {
    this.#pool = pool;
    this.#lasting = lasting;
  }

  /**
   * Looks; what is per event, and lateness, is since the look before. `isAtRestart`: a server was restarted meanwhile, so
   * lateness is not judged here (the chaos does).
   */
  async look(isAtRestart: boolean): Promise<void> {
    const atMs = Date.now();
    const { rows } = await this.#pool.query(
      `select (pg_current_wal_lsn() - '0/0')::float8 as wal_bytes, (select sum(size)::float8 from pg_ls_waldir()) as wal_kept,
         (select count(*)::int from kibble.event) as events,
         (select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()) as connections,
         (select coalesce(percentile_disc(0.99) within group (order by late), 0)::float8 from (
           select extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000 - at as late from kibble.event
           where type = 'feeding-completed' and pg_xact_commit_timestamp(xmin) > to_timestamp($1 / 1000.0)) e) as lateness`,
      [this.#before?.atMs ?? atMs],
    );
    const [row] = rows as [Record<'wal_bytes' | 'wal_kept' | 'events' | 'connections' | 'lateness', number>];
    const before = this.#before;
    this.#before = { atMs, walBytes: row.wal_bytes, events: row.events };
    const memories = await Promise.all(this.#lasting.map(memoryMb));
    if (before === undefined) return;
    if (row.events === before.events) throw new Error('nothing was played since the look before');
    const values: Record<string, number> = {
      'WAL an event': (row.wal_bytes - before.walBytes) / (row.events - before.events),
      'WAL kept': row.wal_kept / MB,
      connections: row.connections,
      ...(isAtRestart ? {} : { 'lateness p99': row.lateness }),
    };
    for (const [at, { name }] of this.#lasting.entries()) values[`memory of ${name}`] = memories[at] ?? Number.NaN;
    this.#samples.push({ atS: (performance.now() - this.#startedAtMs) / 1000, values });
  }

  /** All figures from so many seconds after the start on: before, processes warm up. */
  series(fromS: number): readonly Series[] {
    const samples = this.#samples.filter(({ atS }) => atS >= fromS);
    const of = (
      name: string,
      unit: string,
      mayDrift: Series['mayDrift'],
      judged: Pick<Series, 'isByPeaks'> = {},
    ): Series => ({
      ...{ name, unit, mayDrift },
      ...judged,
      points: samples.flatMap(({ atS, values: { [name]: value } }) =>
        value === undefined ? [] : [[atS, value] as const],
      ),
    });
    return [
      ...this.#lasting.map(({ name }) => of(`memory of ${name}`, 'MB', { share: 0.1, by: 16 }, { isByPeaks: true })),
      of('WAL an event', 'B', { share: 0.25, by: 0 }),
      of('WAL kept', 'MB', { share: 0.25, by: 64 }),
      of('connections', 'count', { share: 0.2, by: 4 }),
      of('lateness p99', 'ms', { share: 0.25, by: 50 }),
    ];
  }
}

const memoryMb = async ({ address }: ServerNode): Promise<number> => {
  const answer = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${OPS_TOKEN}` } });
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(await answer.text())?.[1]) / MB;
};
