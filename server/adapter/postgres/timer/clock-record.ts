import type { ClockRecord, ClockRecorded, NotedTime } from '../../../timer/clock/clock-watch.ts';
import type { Database, Statements } from '../database.ts';

interface Row {
  readonly now_ms: string;
  readonly is_here: boolean;
  readonly trusted_at: string | null;
  readonly held_by_ms: string | null;
}

export class PostgresClockRecord implements ClockRecord {
  readonly #sql: Statements<keyof ReturnType<typeof clockSql>>;

  constructor(database: Database) {
    this.#sql = database.statements('clock', clockSql(`"${database.schema}".clock`));
  }

  async read(): Promise<ClockRecorded> {
    const [row] = await this.#sql.rows<Row>('read');
    return {
      databaseMs: Number(row?.now_ms),
      isHere: row?.is_here ?? false,
      trustedAtMs: Number(row?.trusted_at ?? 0),
      heldByMs: Number(row?.held_by_ms ?? 0),
    };
  }

  async note({ trustedAtMs, heldByMs }: NotedTime, seen: NotedTime): Promise<boolean> {
    return (await this.#sql.run('note', [trustedAtMs, heldByMs, seen.heldByMs])).rowCount === 1;
  }
}

const clockSql = (table: string) => ({
  /** A socket has no addresses; on one machine both addresses are the same. */
  read: `
      select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms,
        inet_server_addr() is not distinct from inet_client_addr() as is_here, c.trusted_at, c.held_by_ms
      from (select) one left join ${table} c on true`,

  note: `
      insert into ${table} as c (singleton, trusted_at, held_by_ms) values (1, $1, $2)
       on conflict (singleton) do update set trusted_at = excluded.trusted_at, held_by_ms = excluded.held_by_ms
       where c.held_by_ms = $3`,
});
