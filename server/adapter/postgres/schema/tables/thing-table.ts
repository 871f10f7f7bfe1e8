/**
 * What players' modules keep, one row a thing (ADR 100). `due_at` is its timer's time, so that rows and
 * timers can be compared without rules; `run` went with version 15. What changes all the time is in no index. `schema` is a quoted identifier.
 */
export const createThingTable = (schema: string): readonly string[] => [
  `create table ${schema}.thing (
     player_id text not null,
     module text not null,
     thing_id text not null,
     version integer not null check (version > 0),
     state jsonb not null,
     title text,
     run text,
     due_at bigint,
     primary key (player_id, module, thing_id),
     constraint thing_timer_whole check ((run is null) = (due_at is null))
   ) with (fillfactor = 70)`,
  `create index thing_title_prefix on ${schema}.thing (lower(title) text_pattern_ops) where title is not null`,
  `alter table ${schema}.home add column opened text[] not null default '{}'`,
  `alter table ${schema}.home alter column opened drop default`,
];

/** What 0.1 kept of pets, as things. Their ended feedings are in the log. */
export const movePets = (schema: string): readonly string[] => [
  `update ${schema}.home set opened = '{pets}'`,
  `insert into ${schema}.thing (player_id, module, thing_id, version, state, title, run, due_at)
     select p.player_id, 'pets', p.pet_id, 1,
       jsonb_strip_nulls(jsonb_build_object(
         'petId', p.pet_id, 'name', p.name, 'species', p.species, 'xp', p.xp, 'armed', p.armed,
         'blockedAtMs', p.blocked_at,
         'boost', case when p.boost_rate is not null
           then jsonb_build_object('rate', p.boost_rate, 'endsAtMs', p.boost_ends_at) end,
         'lastFeeding', case when p.last_feeding_id is not null then jsonb_build_object(
           'feedingId', p.last_feeding_id, 'food', p.last_food, 'workMs', p.last_work_ms, 'xp', p.last_xp,
           'outcome', p.last_outcome) end,
         'feeding', case when f.feeding_id is not null then jsonb_build_object(
           'feedingId', f.feeding_id, 'food', f.food, 'by', f.fed_by, 'workMs', f.work_ms, 'xp', f.xp,
           'hasCards', f.has_cards, 'startedAtMs', f.started_at,
           'work', jsonb_build_object('leftMs', f.left_ms, 'sinceAtMs', f.since_at)) end)),
       p.name, f.feeding_id, ${dueAtOf('f', 'p')}
     from ${schema}.pet p left join ${schema}.feeding f on f.pet_id = p.pet_id and f.state = 'running'`,
  `update ${schema}.checkpoint set home = (home - 'pets') || jsonb_build_object('opened', '["pets"]'::jsonb,
     'versions', '{"pets": 1}'::jsonb, 'things',
     case when jsonb_array_length(home->'pets') = 0 then '{}'::jsonb else jsonb_build_object('pets',
       (select jsonb_object_agg(pet->>'petId', pet) from jsonb_array_elements(home->'pets') pet)) end)`,
  `drop table ${schema}.feeding`,
  `drop table ${schema}.pet`,
];

/** As `dueAtMs` of shared/work.ts: boosted work first, what is left of it at the plain rate. */
const dueAtOf = (feeding: string, pet: string): string => {
  const boostedMs = `greatest(0, coalesce(${pet}.boost_ends_at, 0) - ${feeding}.since_at)`;
  const rate = `coalesce(${pet}.boost_rate, 1)`;
  return `case when ${feeding}.left_ms <= ${boostedMs} * ${rate}
      then ${feeding}.since_at + (${feeding}.left_ms + ${rate} - 1) / ${rate}
      else ${feeding}.since_at + ${feeding}.left_ms - ${boostedMs} * (${rate} - 1) end`;
};

/** Back to the tables of 0.1. What other modules keep has no place there. */
export const movePetsBack = (schema: string): readonly string[] => [
  `do $$ begin if exists (select from ${schema}.thing where module <> 'pets') then
     raise exception 'things of other modules have no place in the tables of before: restore a backup'; end if; end $$`,
  `insert into ${schema}.pet (pet_id, player_id, adopted_seq, name, species, xp, boost_rate, boost_ends_at, armed,
       blocked_at, last_feeding_id, last_food, last_work_ms, last_xp, last_outcome)
     select thing_id, player_id, substring(thing_id from '~p(\\d+)$')::bigint, p.name, p.species, p.xp,
       (state#>>'{boost,rate}')::int, (state#>>'{boost,endsAtMs}')::bigint, state->'armed', p."blockedAtMs",
       state#>>'{lastFeeding,feedingId}', state#>>'{lastFeeding,food}', (state#>>'{lastFeeding,workMs}')::bigint,
       (state#>>'{lastFeeding,xp}')::bigint, state#>>'{lastFeeding,outcome}'
     from ${schema}.thing, jsonb_to_record(state) as p(name text, species text, xp bigint, "blockedAtMs" bigint)`,
  `insert into ${schema}.feeding (feeding_id, player_id, pet_id, state, food, fed_by, work_ms, xp, has_cards,
       started_at, left_ms, since_at, ended_at)
     select f."feedingId", player_id, thing_id, 'running', f.food, f.by, f."workMs", f.xp, f."hasCards",
       f."startedAtMs", (f.work->>'leftMs')::bigint, (f.work->>'sinceAtMs')::bigint, null
     from ${schema}.thing, jsonb_to_record(state->'feeding') as f("feedingId" text, food text, by text, "workMs" bigint,
       xp bigint, "hasCards" boolean, "startedAtMs" bigint, work jsonb) where state ? 'feeding'`,
  `update ${schema}.checkpoint set home = (home - 'things' - 'opened' - 'versions') || jsonb_build_object('pets', coalesce(
     (select jsonb_agg(pet.value order by substring(pet.key from '~p(\\d+)$')::bigint)
      from jsonb_each(home#>'{things,pets}') pet), '[]'::jsonb))`,
  `drop table ${schema}.thing`,
  `alter table ${schema}.home drop column opened`,
];
