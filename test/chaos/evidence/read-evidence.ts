import type { Client, QueryResultRow } from 'pg';
import type { CommandRecord, ConnectionRecord, Evidence, LoggedEvent, Rows, TimerRow, ToldEvent } from './evidence.ts';
import { bedRowOf, feedingRowOf, petRowOf } from './pet-rows.ts';

/** What the load knows of a player. */
export interface Witness {
  readonly playerId: string;
  readonly commands: readonly CommandRecord[];
  readonly connections: readonly ConnectionRecord[];
}

/** Reads everything in one snapshot, by SQL of its own. The server keeps commit timestamps (`track_commit_timestamp`). */
export const readEvidence = async (
  client: Client,
  witnesses: readonly Witness[],
  { rules, growths }: Pick<Evidence, 'rules' | 'growths'>,
): Promise<Evidence> => {
  await client.query('begin isolation level repeatable read read only');
  const rowsOf = async (sql: string): Promise<ReadonlyMap<string, QueryResultRow[]>> =>
    Map.groupBy((await client.query(sql)).rows, (row) => String(row.player_id));
  const now = await client.query('select extract(epoch from clock_timestamp()) * 1000 as now_ms');
  const logs = await rowsOf(LOG);
  const homes = await rowsOf('select * from kibble.home');
  const thingsOf = (module: string) =>
    rowsOf(`select * from kibble.thing where module = '${module}' order by thing_id`);
  const [pets, beds] = [await thingsOf('pets'), await thingsOf('field')];
  const items = await rowsOf('select * from kibble.item');
  const timers = await rowsOf(`select *, owner as player_id from kibble.timers where kind in ('feeding', 'field')`);
  await client.query('rollback');
  const known = new Set(witnesses.map(({ playerId }) => playerId));
  const found = new Set([logs, homes, pets, beds, items, timers].flatMap((table) => [...table.keys()]));
  const rowsFor = (playerId: string): Rows => ({
    home: homes.get(playerId)?.map((row) => ({ seq: Number(row.seq), lastAtMs: Number(row.last_at) }))[0],
    pets: (pets.get(playerId) ?? []).map((row) => petRowOf(row.state)),
    feedings: (pets.get(playerId) ?? []).flatMap((row) => feedingRowOf(row.state)),
    beds: (beds.get(playerId) ?? []).map((row) => bedRowOf(row.thing_id, row.state)),
    items: Object.fromEntries((items.get(playerId) ?? []).map((row) => [row.item, Number(row.count)])),
    timers: (timers.get(playerId) ?? []).map(timerOf),
  });
  return {
    rules,
    growths,
    readAtMs: Number(now.rows[0].now_ms),
    strangers: [...found].filter((playerId) => !known.has(playerId)),
    players: witnesses.map((witness) => ({
      ...witness,
      log: (logs.get(witness.playerId) ?? []).map(loggedOf),
      rows: rowsFor(witness.playerId),
    })),
  };
};

/** The transaction that inserted a row is its `xmin`: events are never updated. */
const LOG = `select player_id, seq, at, type, body, command_id, answer_seq,
  extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000 as committed_at
  from kibble.event order by player_id, seq`;

const loggedOf = (row: QueryResultRow): LoggedEvent => ({
  event: {
    v: 1,
    seq: Number(row.seq),
    at: Number(row.at),
    type: row.type,
    ...(row.command_id === null ? {} : { commandId: row.command_id }),
    ...row.body,
  } as ToldEvent,
  answerSeq: optional(row.answer_seq),
  committedAtMs: Number(row.committed_at),
});

const timerOf = (row: QueryResultRow): TimerRow => ({
  kind: row.kind,
  subject: row.subject,
  dueAtMs: Number(row.due_at),
});

const optional = (value: string | number | null): number | undefined => (value === null ? undefined : Number(value));
