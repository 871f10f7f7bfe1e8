import type { Pool } from 'pg';
import type { Bearer, Revocations, Revoked } from '../../../home/revocations.ts';
import type { RevokeOrder, RevokeStore } from '../../../ops/acts/revoke.ts';
import { type TrustedTime, unguarded } from '../../../timer/clock/trusted-time.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import { query } from '../statement.ts';

interface Dependencies {
  readonly pool: Pool;
  /** A checked identifier. */
  readonly schema: string;
  /** Default: the clock is believed. */
  readonly time?: TrustedTime;
}

interface RecentRow {
  readonly now_ms: string | number;
  readonly bearer: string | null;
  readonly issued_until_at: string | number;
}

/** How long a revocation counts as recent: longer than the place of a client that dropped is kept. */
const RECENT_MS = 300_000;
/** What has ended by itself is kept a day more, whatever clocks say. */
const KEPT_MS = 86_400_000;
const NOW = 'coalesce($1::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)';

/** Revoked tokens in Postgres (`Revocations`, `RevokeStore`). */
export class PostgresRevokedStore implements Revocations, RevokeStore {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #table: string;
  readonly #time: TrustedTime;

  constructor({ pool, schema, time = unguarded }: Dependencies) {
    this.#pool = pool;
    this.#schema = schema;
    this.#table = `"${schema}".revoked`;
    this.#time = time;
  }

  async isRevoked({ keys, issuedAtMs }: Bearer): Promise<boolean> {
    const found = await query(this.#pool, {
      name: `${this.#schema}.revoked.is`,
      text: `select 1 from ${this.#table} where bearer = any($1::text[]) and issued_until_at >= $2 limit 1`,
      values: [keys, issuedAtMs],
    });
    return found.length > 0;
  }

  async recent(lookedAtMs?: number): Promise<{ readonly nowMs: number; readonly revoked: readonly Revoked[] }> {
    const rows = await query<RecentRow>(this.#pool, {
      name: `${this.#schema}.revoked.recent`,
      text: `select now_ms, bearer, issued_until_at from (select ${NOW} as now_ms) n
        left join ${this.#table} r on r.revoked_at >= least(now_ms, $2::bigint) - ${RECENT_MS}`,
      values: [this.#time.heldMs ?? null, lookedAtMs ?? null],
    });
    return {
      nowMs: Number(rows[0]?.now_ms),
      revoked: rows.flatMap(({ bearer, issued_until_at }) =>
        bearer === null ? [] : { key: bearer, issuedUntilMs: Number(issued_until_at) },
      ),
    };
  }

  async revoke(tx: Tx, { key, issuedUntilMs, endsAtMs }: RevokeOrder): Promise<number> {
    await query(tx, {
      name: `${this.#schema}.revoked.prune`,
      text: `delete from ${this.#table} where until_at < ${NOW} - ${KEPT_MS}`,
      values: [this.#time.heldMs ?? null],
    });
    const [row] = await query<{ revoked_at: string | number }>(tx, {
      name: `${this.#schema}.revoked.add`,
      text: `insert into ${this.#table} as r (bearer, issued_until_at, until_at, revoked_at)
        select $2, coalesce($3::bigint, now_ms), $4, now_ms from (select ${NOW} as now_ms) n
        on conflict (bearer) do update set revoked_at = greatest(r.revoked_at, excluded.revoked_at),
          issued_until_at = greatest(r.issued_until_at, excluded.issued_until_at),
          until_at = case when excluded.until_at is null then null else greatest(r.until_at, excluded.until_at) end
        returning revoked_at`,
      values: [this.#time.heldMs ?? null, key, issuedUntilMs ?? null, endsAtMs ?? null],
    });
    return Number(row?.revoked_at);
  }
}
