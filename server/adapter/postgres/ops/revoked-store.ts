import { type Bearer, GUEST_DAYS, type Revocations, type Revoked } from '../../../home/revocations.ts';
import type { RevokeOrder, RevokeStore } from '../../../ops/acts/revoke.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { type Database, nowMs, type Statements } from '../database.ts';

interface RecentRow {
  readonly now_ms: string | number;
  readonly bearer: string | null;
  readonly issued_until_at: string | number;
}

/** How long a revocation is recent: longer than a seat is reserved for a client that lost its connection. */
const RECENT_MS = 300_000;
const DAY_MS = 86_400_000;
/** After its token and all renewals have expired, a revocation stays for another day, because clocks differ. */
const KEPT_MS = DAY_MS;
const RENEWAL_MS = GUEST_DAYS * DAY_MS;

export class PostgresRevokedStore implements Revocations, RevokeStore {
  readonly #database: Database;
  readonly #sql: Statements<keyof ReturnType<typeof revokedSql>>;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = database.statements('revoked', revokedSql(`"${database.schema}".revoked`));
  }

  async isRevoked({ keys, issuedAtMs }: Bearer): Promise<boolean> {
    return (await this.#sql.rows('is', [keys, issuedAtMs])).length > 0;
  }

  async recent(lookedAtMs?: number): Promise<{ readonly nowMs: number; readonly revoked: readonly Revoked[] }> {
    const rows = await this.#sql.rows<RecentRow>('recent', [this.#datedMs, lookedAtMs ?? null]);
    return {
      nowMs: Number(rows[0]?.now_ms),
      revoked: rows.flatMap(({ bearer, issued_until_at }) =>
        bearer === null ? [] : { key: bearer, issuedUntilMs: Number(issued_until_at) },
      ),
    };
  }

  async revoke(tx: Tx, { key, issuedUntilMs, endsAtMs }: RevokeOrder): Promise<number> {
    const datedMs = this.#datedMs;
    await this.#sql.run('prune', [datedMs], tx);
    const values = [datedMs, key, issuedUntilMs ?? null, endsAtMs ?? null];
    const [row] = await this.#sql.rows<{ revoked_at: string | number }>('add', values, tx);
    return Number(row?.revoked_at);
  }

  /** Never a test's own clock: tokens are issued at the real time. */
  get #datedMs(): number | null {
    return this.#database.time.heldMs ?? null;
  }
}

const revokedSql = (table: string) => ({
  is: `select 1 from ${table} where bearer = any($1::text[]) and issued_until_at >= $2 limit 1`,

  recent: `select now_ms, bearer, issued_until_at from (select ${nowMs(1)} as now_ms) n
        left join ${table} r on r.revoked_at >= least(now_ms, $2::bigint) - ${RECENT_MS}`,

  prune: `delete from ${table} using (select ${nowMs(1)} - ${KEPT_MS} as kept_from) k
        where until_at < kept_from and revoked_at < kept_from - ${RENEWAL_MS}`,

  add: `insert into ${table} as r (bearer, issued_until_at, until_at, revoked_at)
        select $2, coalesce($3::bigint, now_ms), $4, now_ms from (select ${nowMs(1)} as now_ms) n
        on conflict (bearer) do update set revoked_at = greatest(r.revoked_at, excluded.revoked_at),
          issued_until_at = greatest(r.issued_until_at, excluded.issued_until_at),
          until_at = case when excluded.until_at is null then null else greatest(r.until_at, excluded.until_at) end
        returning revoked_at`,
});
