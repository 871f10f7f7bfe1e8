import type { Pool } from 'pg';
import { query } from '../../../server/adapter/postgres/statement.ts';
import { indexEntryOf, type SavedRow } from '../../../server/adapter/postgres/timer/timer-row.ts';
import type { IndexChanges } from '../../../server/timer/model/index-entry.ts';
import type { ThingTimers } from '../fake-database/thing-timers.ts';

interface Dependencies {
  readonly pool: Pool;
  readonly schema: string;
  readonly nowMs: () => number;
}

/** Changes timers of things without rules or a log: only their rows, as the homes' own path writes them. */
export const thingChanges =
  ({ pool, schema, nowMs }: Dependencies) =>
  async ({ put = [], end = [] }: ThingTimers): Promise<IndexChanges> => {
    const ended = await query<SavedRow>(pool, { text: endSql(schema), values: [...keysOf(end), nowMs()] });
    const dues = [put.map(({ owner }) => owner), put.map(({ dueAtMs }) => dueAtMs)];
    const begun = await query<SavedRow>(pool, { text: putSql(schema), values: [...keysOf(put), ...dues, nowMs()] });
    return { put: begun.map(indexEntryOf), remove: ended.map(indexEntryOf) };
  };

const keysOf = (keys: readonly { readonly kind: string; readonly subject: string }[]) => [
  keys.map(({ kind }) => kind),
  keys.map(({ subject }) => subject),
];

const THING_ID = `substr(w.subject, strpos(w.subject, '~') + 1)`;
const ENTRY = 't.id, t.player_id as owner, coalesce(t.due_at, 0) as fire_at, t.revision';

/** A kind that is not registered has no module, so the insert fails. */
const putSql = (schema: string): string => `
insert into "${schema}".thing as t (player_id, module, thing_id, version, state, due_at, due_since)
select w.owner, k.module, ${THING_ID}, 1, '{}', w.due_at, $5
from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) with ordinality as w(kind, subject, owner, due_at, place)
left join "${schema}".timer_kind k on k.kind = w.kind order by w.place
on conflict (player_id, module, thing_id) do update
set due_at = excluded.due_at, due_since = excluded.due_since, revision = t.revision + 1
where t.due_at is distinct from excluded.due_at returning ${ENTRY}`;

const endSql = (schema: string): string => `
update "${schema}".thing t set due_at = null, due_since = $3, revision = t.revision + 1
from unnest($1::text[], $2::text[]) as w(kind, subject) join "${schema}".timer_kind k on k.kind = w.kind
where t.player_id = split_part(w.subject, '~', 1) and t.module = k.module and t.thing_id = ${THING_ID}
  and t.due_at is not null returning ${ENTRY}`;
