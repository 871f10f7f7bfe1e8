/** The statements of the checker. `$1` and `$2` are a range of players: after, up to. `schema` is a checked identifier. */
export const verifySql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  const inRange = 'h.player_id > $1 and h.player_id <= $2';
  const without = (table: string): string =>
    `select '${table}' as "table", o.player_id from ${at(table)} o
      where not exists (select from ${at('home')} h where h.player_id = o.player_id) group by 1, 2`;
  return {
    count: `select count(*)::int as count from ${at('home')}`,

    range: `select max(p.player_id) as up_to, count(*)::int as players
      from (select player_id from ${at('home')} where player_id > $1 order by player_id limit $2) p`,

    homes: `select player_id, seq, last_at, tx, frozen_at, life, opened, items from ${at('home')} h where ${inRange} order by player_id`,

    things: `select h.player_id, h.module, h.thing_id, h.version, h.state, h.id, h.due_at from ${at('thing')} h where ${inRange}`,

    checkpoints: `select h.player_id, h.home from ${at('checkpoint')} h where ${inRange}`,
    events: `select h.player_id, h.seq, h.at, h.type, h.body, h.command_id from ${at('event')} h
      where ${inRange} order by h.player_id, h.seq`,

    orphans: `select * from (
        ${without('thing')} union all ${without('event')}
        union all ${without('checkpoint')}) o
      order by 2, 1 limit $1`,
  } as const;
};

export type VerifySql = ReturnType<typeof verifySql>;
