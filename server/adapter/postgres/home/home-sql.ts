import { CLOCK_MS, type Statements } from '../database.ts';

/**
 * The statements of the homes, each for many homes at once. `schema` is a checked identifier. Parameters are arrays,
 * one element per row. Writes run under the homes' locks.
 *
 * Lateral look-ups with a `limit` or `offset` make the planner use the indexes. On a young database it knows no sizes
 * and would read whole tables, and prepared plans outlive that.
 */
export const homeSql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  const newHome = `hashtextextended('${schema}.home.' || m.player_id, 0)`;
  return {
    lock: `select player_id, seq, last_at, tx, frozen_at, life, opened, items, counters from ${at('home')} where player_id = any($1::text[])
      order by player_id for update`,

    lockFree: `select player_id, seq, last_at, tx, frozen_at, life, opened, items, counters from ${at('home')} where player_id = any($1::text[])
      order by player_id for update skip locked`,

    homes: `select player_id, seq, last_at from ${at('home')} where player_id = any($1::text[])`,

    /**
     * For players without a locked home: the next life of the id, and whether another transaction has the home or is
     * making it. An insert would wait for that transaction, and with it all other homes of the batch.
     */
    missing: `select m.player_id, coalesce(e.lives, 0) as life,
        h.player_id is not null or not pg_try_advisory_xact_lock(${newHome}) as is_busy
      from unnest($1::text[]) as m(player_id)
      left join ${at('home')} h on h.player_id = m.player_id
      left join ${at('erased')} e on e.player_hash = ${playerHash(schema, 'm.player_id')}`,

    /** Waits for transactions that are making these homes. As text: Prisma reads no `void`. */
    awaitNew: `select pg_advisory_xact_lock(${newHome})::text
      from (select * from unnest($1::text[]) as u(player_id) order by 1) m`,

    life: `select coalesce(
        (select life from ${at('home')} where player_id = $1),
        (select lives from ${at('erased')} where player_hash = ${playerHash(schema, '$1::text')}), 0) as life`,

    chance: `select epoch, secret from ${at('epoch')}`,

    things: `select ${THING_COLUMNS} from ${at('thing')} t where player_id = any($1::text[])`,

    /**
     * The same with the clock, even without things. All in one snapshot: rules that were committed before the clock was
     * read are in force.
     */
    thingsNow: `select c.now_ms, c.rules, ${THING_COLUMNS}
      from (select ${CLOCK_MS} as now_ms, coalesce((select max(number) from ${at('rules')}), 0) as rules offset 0) c
      left join ${at('thing')} t on t.player_id = any($1::text[])`,

    answered: `select c.player_id, c.command_id as asked_id, c.command_hash, ${EVENT_COLUMNS}
      from (select distinct * from unnest($1::text[], $2::text[])) as k(player_id, command_id)
      cross join lateral (
        select * from ${at('event')} a where a.player_id = k.player_id and a.command_id = k.command_id limit 1) c
      cross join lateral (
        select * from ${at('event')} b where b.player_id = c.player_id and b.seq between c.seq and c.answer_seq
        offset 0) e
      order by c.player_id, e.seq`,

    eventsAfter: `select ${EVENT_COLUMNS} from ${at('event')} e
      where player_id = $1 and seq > $2 order by seq limit $3`,

    saveHomes: `update ${at('home')} h set seq = w.seq, last_at = w.last_at, tx = greatest(${OWN_TX}, h.tx), items = w.items,
        counters = w.counters
      from unnest($1::text[], $2::bigint[], $3::bigint[], $4::jsonb[], $5::jsonb[])
        as w(player_id, seq, last_at, items, counters)
      where h.player_id = w.player_id`,

    /** Columns that rarely change. `opened` as JSON: an array of arrays would have to be a rectangle. */
    markHomes: `update ${at('home')} h
      set frozen_at = w.frozen_at, opened = array(select jsonb_array_elements_text(w.opened))
      from unnest($1::text[], $2::bigint[], $3::jsonb[]) as w(player_id, frozen_at, opened)
      where h.player_id = w.player_id`,

    addHomes: `insert into ${at('home')} (player_id, seq, last_at, tx, items, counters, frozen_at, opened, life)
      select player_id, seq, last_at, ${OWN_TX}, items, counters, frozen_at, array(select jsonb_array_elements_text(opened)), life
      from unnest($1::text[], $2::bigint[], $3::bigint[], $4::jsonb[], $5::jsonb[], $6::bigint[], $7::jsonb[],
        $8::int[]) as h(player_id, seq, last_at, items, counters, frozen_at, opened, life)`,

    saveThings: `update ${at('thing')} t set version = w.version, state = w.state, title = w.title, due_at = w.due_at,
        revision = t.revision + (t.due_at is distinct from w.due_at)::int,
        due_since = case when t.due_at is distinct from w.due_at then $8::bigint else t.due_since end
      from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::jsonb[], $6::text[], $7::bigint[])
        as w(player_id, module, thing_id, version, state, title, due_at)
      where t.player_id = w.player_id and t.module = w.module and t.thing_id = w.thing_id`,

    addThings: `insert into ${at('thing')} (player_id, module, thing_id, version, state, title, due_at, due_since)
      select w.*, $8::bigint
      from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::jsonb[], $6::text[], $7::bigint[]) w
      returning player_id, module, thing_id, id`,

    deleteThings: `delete from ${at('thing')} t
      using unnest($1::text[], $2::text[], $3::text[]) as d(player_id, module, thing_id)
      where t.player_id = d.player_id and t.module = d.module and t.thing_id = d.thing_id`,

    /** `tx`: this transaction's, or that of the player's previous event if greater. So it never falls along `seq`. */
    saveEvents: `insert into ${at('event')}
        (player_id, seq, at, read_at, type, body, command_id, command_hash, answer_seq, tx)
      select player_id, seq, at, $10::bigint, type, body, command_id, command_hash, answer_seq, greatest(${OWN_TX}, tx)
      from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::jsonb[], $6::text[], $7::text[],
        $8::bigint[], $9::bigint[]) as e(player_id, seq, at, type, body, command_id, command_hash, answer_seq, tx)`,
  } as const;
};

export type HomeSql = Statements<keyof ReturnType<typeof homeSql>>;

/** The hash that remains of an erased player's id: equal for equal ids, and not reversible. */
export const playerHash = (schema: string, playerId: string): string =>
  `encode(sha256(convert_to((select erased_salt from "${schema}".epoch) || '~' || ${playerId}, 'UTF8')), 'hex')`;

/**
 * The lock between erasures, which share it, and work that writes rows of players without their homes' locks. It is
 * taken before all rows are read, so that neither writes what the other has not seen.
 */
export const besideErase = (schema: string, work: 'fold' | 'fill'): string =>
  `hashtextextended('${schema}.${work}', 0)`;

const OWN_TX = 'pg_current_xact_id()::text::bigint';
const THING_COLUMNS = 't.player_id, t.module, t.thing_id, t.version, t.state, t.id, t.revision, t.due_at';
const EVENT_COLUMNS = 'e.seq, e.at, e.type, e.body, e.command_id';
