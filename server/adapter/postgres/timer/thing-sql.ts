import { nowMs } from '../database.ts';
import { THING, thingColumns, thingTables } from './timer-tables.ts';

/** The statements of timers that are rows of things (`ThingRows`). `schema` is a checked identifier. */
export const thingSql = (schema: string) => {
  const { thing, hold, kind, held, stuck, ofOwners } = thingTables(schema);
  return {
    // Holds concern only the sweeper: timers that the index delivers are settled, so a repaired home need not wait.
    readThings: `
select n.now_ms, r.* from (select ${nowMs(3)} as now_ms) n
left join (
  select ${thingColumns('h.due_at')} from ${ofOwners('select unnest($1::text[])')} ${kind} ${held}
  where (h.player_id, h.id) in (select * from unnest($1::text[], $2::bigint[]))) r on true`,

    // At the same revision a timer is unchanged.
    stillDue: `
select n.now_ms, r.* from (select ${nowMs(4)} as now_ms) n
left join (
  select h.id from ${ofOwners('select unnest($1::text[])')}
  join unnest($1::text[], $2::bigint[], $3::int[]) as w(owner, id, revision)
    on (w.owner, w.id, w.revision) = (h.player_id, h.id, h.revision)) r on true`,

    // No index has only the ids, so everything that is due is scanned.
    findThings: `select ${THING} from ${thing} h ${kind} ${held} where h.id = any($1::bigint[]) and h.due_at is not null`,

    listStuck: `
select ${THING} from ${stuck} order by s.updated_at desc limit $1`,

    // Only of owners with things: one may have been erased meanwhile. The lock is skipped where a transaction deletes the
    // thing, as an erasure does; an erasure that comes later waits for the lock, and then finds the row.
    hold: `
insert into ${hold} as s (player_id, until_at, attempt, last_error, updated_at)
select w.*, ${nowMs(5)} from (
  select * from unnest($1::text[], $2::bigint[], $3::int[], $4::text[]) as u(player_id, until_at, attempt, last_error)
  order by u.player_id) w
cross join lateral (select from ${thing} t where t.player_id = w.player_id limit 1 for key share skip locked) t
on conflict (player_id) do update set until_at = excluded.until_at,
  attempt = case when excluded.attempt > 0 then excluded.attempt else s.attempt end,
  last_error = coalesce(excluded.last_error, s.last_error), updated_at = excluded.updated_at`,

    release: `delete from ${hold} where player_id = any($1::text[])`,
  };
};
