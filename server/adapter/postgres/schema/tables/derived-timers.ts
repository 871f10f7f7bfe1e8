/**
 * Version 15: the timer of a thing is named after the thing, not after what it does at the time, and is not kept when it
 * is over (ADR 124). `schema` is a checked identifier. Timers that are named otherwise than here follow from no thing:
 * the next look at their owner heals them.
 */
export const timersByThing = (schema: string): string => `
update "${schema}".timer t set subject = x.player_id || '~' || x.thing_id
from "${schema}".thing x
where t.state = 'scheduled' and t.owner = x.player_id and t.kind = ${kindOf('x')} and t.subject = x.run;

-- Their owners' logs have them.
delete from "${schema}".timer t
where t.state <> 'scheduled' and (t.kind = 'feeding' or t.kind in (select distinct module from "${schema}".thing))
  and exists (select from "${schema}".home h where h.player_id = t.owner);

alter table "${schema}".thing drop run;
`;

/**
 * Finished timers do not come back. What pets do is in their state; things of other modules are taken for doing one thing
 * only, and where that is wrong, the version before heals the timer when it looks at the home.
 */
export const timersByRun = (schema: string): string => `
alter table "${schema}".thing add run text;
update "${schema}".thing set run =
  case module when 'pets' then state#>>'{feeding,feedingId}' else player_id || '~' || thing_id end
where due_at is not null;
alter table "${schema}".thing add constraint thing_timer_whole check ((run is null) = (due_at is null));

update "${schema}".timer t set subject = x.run
from "${schema}".thing x
where t.state = 'scheduled' and t.owner = x.player_id and t.kind = ${kindOf('x')}
  and t.subject = x.player_id || '~' || x.thing_id and x.run is not null;
`;

/** The kind of a module's timers: pets are older than modules. */
const kindOf = (thing: string): string => `case ${thing}.module when 'pets' then 'feeding' else ${thing}.module end`;
