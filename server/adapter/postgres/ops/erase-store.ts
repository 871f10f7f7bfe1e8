import type { Erased, EraseStore } from '../../../ops/acts/merge-erase.ts';
import type { Tx } from '../../../timer/model/timer-store.ts';
import type { Database, Statements } from '../database.ts';
import { besideErase, playerHash } from '../home/home-sql.ts';
import { setStatementTimeout } from '../statement.ts';
import { indexEntryOf, type TimerRow } from '../timer/timer-row.ts';

/**
 * The player's tables in the order in which they are emptied, after the things, which a new hold locks. Each statement
 * returns the removed rows.
 */
const tables = ['home_hold', 'event', 'checkpoint', 'job_target', 'home'] as const;

/** Tables that may mention the player where no index finds it; some grow to millions of rows. */
const searched = ['audit', 'timer_command'] as const;
type Searched = (typeof searched)[number];

/** A part of such a table for one statement: 8 MB, some 10,000 rows. */
const PART_BLOCKS = 1024;

interface Search {
  /** The oldest transaction that was open when the search began. */
  readonly oldest: string;
  readonly found: Readonly<Record<Searched, readonly string[]>>;
}

/** Erases players in Postgres (`EraseStore`). The game empties its own inventory. */
export class PostgresEraseStore implements EraseStore {
  readonly #sql: Statements<keyof ReturnType<typeof eraseSql>>;

  constructor(database: Database) {
    this.#sql = database.statements('erase', eraseSql(database.schema));
  }

  async hashOf(playerId: string): Promise<string> {
    const [row] = await this.#sql.rows<{ hash: string }>('hash', [playerId]);
    return row?.hash ?? '';
  }

  async erase(tx: Tx, playerId: string): Promise<Erased | undefined> {
    // A player may have many finished timers. Erasing is rare, and locks only one home.
    await setStatementTimeout(tx, 60_000);
    const { oldest, found } = await this.#search(tx, playerId);
    const mentions = async (table: Searched) => [
      ...found[table],
      ...(await this.#ids(`${table}_since`, [playerId, oldest], tx)),
    ];
    await this.#sql.run('beside', [], tx);
    await this.#sql.run('lock', [playerId], tx);
    const related = await this.#sql.rows<{ other: string }>('related', [playerId], tx);
    await this.#sql.run('lockTimers', [playerId], tx);
    const own = await this.#sql.rows<TimerRow>('timers', [playerId], tx);
    const things = await this.#sql.rows<TimerRow>('thing', [playerId], tx);
    const timers = [...own, ...things];
    const removed: Record<string, number> = { timer: own.length, thing: things.length };
    // Before the events are deleted: one of them may be a consumer's place.
    await this.#sql.run('consumers', [playerId], tx);
    const calls = await this.#sql.rows('timer_command', [playerId, await mentions('timer_command')], tx);
    removed.timer_command = calls.length;
    for (const table of tables) removed[table] = (await this.#sql.rows(table, [playerId], tx)).length;
    const entries = await mentions('audit');
    const acts = await this.#sql.rows('audit', [playerId, timers.map(({ id }) => `timer:${id}`), entries], tx);
    if (acts.length === 0 && Object.values(removed).every((count) => count === 0)) return undefined;
    await this.#sql.run('forget', [playerId, entries], tx);
    await this.#sql.run('remember', [playerId], tx);
    return {
      removed,
      related: related.map(({ other }) => other),
      index: { put: [], remove: timers.map(indexEntryOf) },
    };
  }

  /**
   * Reads the searched tables in parts, before the transaction locks a row or has a number: until then no consumer and
   * no command waits for it. Complete with `_since`, under the locks: a row version whose transaction had ended when
   * the search began was visible to each part, in its place, and all others are of transactions from `oldest` on.
   */
  async #search(tx: Tx, playerId: string): Promise<Search> {
    await this.#sql.run('keepPlaces', [], tx);
    const [start] = await this.#sql.rows<Record<Searched | 'oldest', string>>('start', [], tx);
    if (!start) throw new Error('no start of the search');
    const found: Record<Searched, string[]> = { audit: [], timer_command: [] };
    for (const table of searched) {
      for (let block = 0; block < Number(start[table]); block += PART_BLOCKS) {
        const part = [`(${block},0)`, `(${block + PART_BLOCKS},0)`];
        found[table].push(...(await this.#ids(`${table}_part`, [playerId, ...part], tx)));
      }
    }
    return { oldest: start.oldest, found };
  }

  async #ids(name: `${Searched}_${'part' | 'since'}`, values: readonly string[], tx: Tx): Promise<readonly string[]> {
    return (await this.#sql.rows<{ id: string }>(name, values, tx)).map(({ id }) => id);
  }
}

/** The answer of a merge without its details. */
const NO_MERGE = `'{"guest":{"seq":0,"events":[]},"account":{"seq":0,"events":[]},"moved":[],"left":[],"aboveLimit":[]}'::jsonb`;

/** The player is in an entry's details. */
const DETAILED = `before->>'owner' = $1 or after->>'owner' = $1
  or (action = 'merge' and (
    position('"' || $1 || '"' in concat(before, after, answer)) > 0
    or position('"' || $1 || '~' in concat(before, after, answer)) > 0))`;

/** The player is in a result that lists others. */
const LISTED = `(action = 'erase' and answer->'related' ? $1)
  or (action = 'revive' and answer->'timers' @> jsonb_build_array(jsonb_build_object('owner', $1::text)))`;

/** Conditions on a row of a searched table. The subqueries are run once, not for each row. */
const MENTIONED: Readonly<Record<Searched, string>> = {
  audit: `${DETAILED} or ${LISTED}`,
  // Stored results of timer calls: outcomes with timers, or timers.
  timer_command: `answer @> (select jsonb_build_array(
      jsonb_build_object('timer', jsonb_build_object('owner', $1::text))))
    or answer @> (select jsonb_build_array(jsonb_build_object('owner', $1::text)))`,
};

/** Find the rows of a table that mention the player: in a part of it, or of transactions since `$2`. */
const searchSql = (at: (table: string) => string) => {
  const part = (table: Searched): string => `select id from ${at(table)}
    where ctid >= $2::tid and ctid < $3::tid and (${MENTIONED[table]})`;
  // Numbers of transactions begin anew after four billions, so their ages are compared.
  const since = (table: Searched): string => `select id from ${at(table)}
    where age(xmin) <= (select age($2::xid)) and (${MENTIONED[table]})`;
  return {
    audit_part: part('audit'),
    timer_command_part: part('timer_command'),
    audit_since: since('audit'),
    timer_command_since: since('timer_command'),
  };
};

/** The statements that remove a player; `$1` is the id. `schema` is a checked identifier. */
const eraseSql = (schema: string) => {
  const at = (table: string): string => `"${schema}".${table}`;
  const remove = (table: string): string => `delete from ${at(table)} where player_id = $1 returning 1 as removed`;
  const hash = playerHash(schema, '$1::text');
  const blocks = (table: string): string =>
    `pg_relation_size('${at(table)}'::regclass) / current_setting('block_size')::int`;
  return {
    ...searchSql(at),

    /** Nothing moves rows (`vacuum full`) while parts are read. */
    keepPlaces: `lock table ${at('audit')}, ${at('timer_command')} in access share mode`,

    start: `select pg_snapshot_xmin(pg_current_snapshot())::xid::text as oldest,
      ${blocks('audit')} as audit, ${blocks('timer_command')} as timer_command`,

    hash: `select ${hash} as hash`,

    beside: `select pg_advisory_xact_lock_shared(${besideErase(schema, 'fold')}),
      pg_advisory_xact_lock_shared(${besideErase(schema, 'fill')})`,

    lock: `select 1 as locked from ${at('home')} where player_id = $1 for update`,

    /** Players with a home that was merged with this one. The audit has both entries of a merge; old events are folded. */
    related: `select h.player_id as other from ${at('home')} h where h.player_id in (
      select substr(o.target, length('player:') + 1)
      from ${at('audit')} m join ${at('audit')} o using (command_id, action, hash)
      where m.target = 'player:' || $1 and action = 'merge' and o.target <> m.target and o.target like 'player:%')`,

    /** In the lock order of other transactions: scheduled timers first. */
    lockTimers: `with d as materialized (
        select d.id from ${at('timer')} t join ${at('timer_due')} d on d.id = t.id
        where t.owner = $1 and t.state = 'scheduled' order by d.id for update of d)
      select id from ${at('timer')} where owner = $1 and (select count(*) from d) >= 0 order by id for update`,

    timers: `with d as (
        delete from ${at('timer_due')} d using ${at('timer')} t where t.owner = $1 and d.id = t.id returning d.*)
      delete from ${at('timer')} t where t.owner = $1 returning t.id, t.owner,
        coalesce((select fire_at from d where d.id = t.id), t.fire_at) as fire_at,
        coalesce((select revision from d where d.id = t.id), t.revision) as revision`,

    timer_command: `delete from ${at('timer_command')} where id = any($2::text[]) and (${MENTIONED.timer_command})
      returning 1 as removed`,

    thing: `delete from ${at('thing')} where player_id = $1 returning id, player_id as owner, due_at as fire_at, revision`,
    home_hold: remove('home_hold'),
    event: remove('event'),
    checkpoint: remove('checkpoint'),
    job_target: remove('job_target'),
    home: remove('home'),

    /** Moves a consumer's place from an event of this player to the one before: it has read neither more nor less. */
    consumers: `update ${at('consumer')} c set
        player_id = coalesce(p.player_id, ''), seq = coalesce(p.seq, 0), tx = coalesce(p.tx, c.tx)
      from (select name from ${at('consumer')} where player_id = $1) mine
      left join lateral (
        select e.tx, e.player_id, e.seq from ${at('event')} e, ${at('consumer')} o
        where o.name = mine.name and e.player_id <> $1 and (e.tx, e.player_id, e.seq) < (o.tx, o.player_id, o.seq)
        order by e.tx desc, e.player_id desc, e.seq desc limit 1) p on true
      where c.name = mine.name returning c.name`,

    /**
     * The act and its operator stay; the player's name and the details go. Each target gets a name of its own: one
     * commandId may be in several lives of the id, and is the erasure's too.
     */
    audit: `update ${at('audit')} set before = null, after = null, reason = '[erased]',
        -- Of a home that was merged into the erased one, the answer still says that it is merged away.
        answer = case when action = 'merge' and answer is not null and target <> 'player:' || $1 then ${NO_MERGE} end,
        target = case when target = 'player:' || $1 then 'erased:' || ${hash} || '~' || id else target end
      where target = 'player:' || $1 or target = any($2::text[]) or (id = any($3::bigint[]) and (${DETAILED}))
      returning id`,

    /** Results that list others beside the act's own target: homes merged with an erased one, and dead timers by kind. */
    forget: `update ${at('audit')} set answer = case action
          when 'erase' then jsonb_set(answer, '{related}', (answer->'related') - $1)
          else jsonb_set(answer, '{timers}', (select coalesce(jsonb_agg(t), '[]')
            from jsonb_array_elements(answer->'timers') t where t->>'owner' <> $1)) end
      where id = any($2::bigint[]) and (${LISTED}) returning id`,

    remember: `insert into ${at('erased')} (player_hash, lives) values (${hash}, 1)
      on conflict (player_hash) do update set lives = erased.lives + 1 returning lives`,
  } as const;
};
