/** The statements of the checker. `$1` and `$2` are a range of players: after, up to. `schema` is a checked identifier. */
export const verifySql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  const inRange = 'h.player_id > $1 and h.player_id <= $2';
  const without = (table: string, more = 'true', owner = 'player_id'): string =>
    `select '${table}' as "table", o.${owner} as player_id from ${at(table)} o
      where ${more} and not exists (select from ${at('home')} h where h.player_id = o.${owner}) group by 1, 2`;
  return {
    count: `select count(*)::int as count from ${at('home')}`,

    range: `select max(p.player_id) as up_to, count(*)::int as players
      from (select player_id from ${at('home')} where player_id > $1 order by player_id limit $2) p`,

    homes: `select player_id, seq, last_at, tx, frozen_at, life from ${at('home')} h where ${inRange} order by player_id`,

    pets: `select p.*, f.feeding_id, f.food, f.fed_by, f.work_ms, f.xp as feeding_xp, f.has_cards, f.started_at,
        f.left_ms, f.since_at
      from ${at('home')} h join ${at('pet')} p using (player_id)
      left join ${at('feeding')} f on f.pet_id = p.pet_id and f.state = 'running'
      where ${inRange} order by p.player_id, p.adopted_seq`,

    items: `select h.player_id, h.item, h.count from ${at('item')} h where ${inRange}`,
    checkpoints: `select h.player_id, h.home from ${at('checkpoint')} h where ${inRange}`,
    events: `select h.player_id, h.seq, h.at, h.type, h.body, h.command_id from ${at('event')} h
      where ${inRange} order by h.player_id, h.seq`,

    timers: `select t.owner, t.subject, t.due_at from ${at('home')} h
      join ${at('timer')} t on t.owner = h.player_id and t.state = 'scheduled' where ${inRange} and t.kind = $3`,

    orphans: `select * from (
        ${without('pet')} union all ${without('item', 'o.count <> 0')} union all ${without('event')}
        union all ${without('checkpoint')} union all ${without('feeding', "o.state = 'running'")}
        union all ${without('timer', "o.state = 'scheduled' and o.kind = $1", 'owner')}) o
      order by 2, 1 limit $2`,
  } as const;
};

export type VerifySql = ReturnType<typeof verifySql>;
