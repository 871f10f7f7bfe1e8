import { NEXT_TO_OPEN, OLDEST_OPEN } from '../open-transactions.ts';

/** The statements of the consumers. `schema` is a checked identifier. */
export const consumerSql = (schema: string) => {
  const event = `"${schema}".event`;
  const consumer = `"${schema}".consumer`;
  return {
    register: `insert into ${consumer} (name, tx, player_id, seq)
      select name, case starts when 'now' then ${OLDEST_OPEN} else 0 end, '', 0
      from unnest($1::text[], $2::text[]) as c(name, starts) on conflict (name) do nothing`,

    read: `select c.tx as from_tx, c.player_id as from_player_id, c.seq as from_seq, e.*
      from ${consumer} c cross join lateral (
        select tx, player_id, seq, at, type, body, command_id from ${event} o
        where (o.tx, o.player_id, o.seq) > (c.tx, c.player_id, c.seq) and o.tx < ${OLDEST_OPEN}
        order by o.tx, o.player_id, o.seq limit $2) e
      where c.name = $1 order by e.tx, e.player_id, e.seq`,

    move: `update ${consumer} set tx = $5, player_id = $6, seq = $7
      where name = $1 and tx = $2 and player_id = $3 and seq = $4`,

    isBehind: `select exists (
      select from ${event} e, ${consumer} c
      where c.name = $1 and (e.tx, e.player_id, e.seq) > (c.tx, c.player_id, c.seq)) as is_behind`,

    lag: `select c.name, (select count(*) from (
        select from ${event} e where (e.tx, e.player_id, e.seq) > (c.tx, c.player_id, c.seq) limit $2) e) as behind
      from ${consumer} c where c.name = any($1::text[])`,

    forget: `delete from ${consumer} where name = $1`,

    /** Numbers that this cluster has not given yet: the tables were restored from a dump of another one. */
    isForeign: `select exists (select from ${event} where tx >= ${NEXT_TO_OPEN}) or exists (
      select from ${consumer} where tx > ${NEXT_TO_OPEN}) as is_foreign`,

    /** What every consumer has read counts as read long ago; the rest, as written now. */
    mendEvents: `update ${event} e set tx = case when exists (
        select from ${consumer} c where (e.tx, e.player_id, e.seq) > (c.tx, c.player_id, c.seq)) then $1::bigint else 0 end
      where e.tx >= $1::bigint`,

    mendConsumers: `update ${consumer} set tx = $1::bigint, player_id = '', seq = 0 where tx >= $1::bigint`,

    mendHomes: `update "${schema}".home set tx = $1::bigint where tx >= $1::bigint`,

    ownTx: 'select pg_current_xact_id()::text::bigint as tx',
  } as const;
};

export type ConsumerSql = ReturnType<typeof consumerSql>;
