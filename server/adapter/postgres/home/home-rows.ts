import type { EventType, HomeEvent } from '../../../../shared/event.ts';
import type { Armed, EndedFeeding, Feeding, Home, Pet } from '../../../../shared/home.ts';
import type { AnsweredCommand } from '../../../home/model/home-store.ts';
import type { FeedingRow } from '../../../home/model/timer-rows.ts';
import type { EventRecord } from '../schema/entities/home/event.ts';

/** What `pg` makes of the rows: bigint comes as text. */
export interface HomeRow {
  readonly player_id: string;
  readonly seq: string;
  readonly last_at: string;
  readonly tx: string;
  readonly frozen_at: string | null;
  readonly life: number;
}

/** A player whose home was not obtained. */
export interface MissingRow {
  readonly player_id: string;
  /** There is a home, and somebody else has it locked. */
  readonly is_busy: boolean;
  /** Of a player without a home: how often the id was erased before. */
  readonly life: number;
}

export interface PetRow {
  readonly pet_id: string;
  readonly player_id: string;
  readonly name: string;
  readonly species: string;
  readonly xp: string;
  readonly boost_rate: number | null;
  readonly boost_ends_at: string | null;
  readonly armed: readonly Armed[];
  readonly blocked_at: string | null;
  readonly last_feeding_id: string | null;
  readonly last_food: string;
  readonly last_work_ms: string;
  readonly last_xp: string;
  readonly last_outcome: EndedFeeding['outcome'];
  readonly feeding_id: string | null;
  readonly food: string;
  readonly fed_by: Feeding['by'];
  readonly work_ms: string;
  readonly feeding_xp: string;
  readonly has_cards: boolean;
  readonly started_at: string;
  readonly left_ms: string;
  readonly since_at: string;
}

export interface EventRow {
  readonly seq: string;
  readonly at: string;
  readonly type: EventType;
  readonly body: object;
  readonly command_id: string | null;
}

export interface FeedingTimerRow {
  readonly owner: string;
  readonly subject: string;
  readonly due_at: string | number;
  readonly fire_at: string | number;
}
type ReadEvent = Pick<EventRecord, 'seq' | 'atMs' | 'type' | 'body' | 'commandId'>;

/** An event of the answer to a command. */
export interface AnsweredRow extends EventRow {
  readonly player_id: string;
  readonly asked_id: string;
  readonly command_hash: string;
}

export const homeOf = (row: HomeRow, pets: readonly PetRow[], items: Home['items']): Home => ({
  playerId: row.player_id,
  seq: Number(row.seq),
  lastAtMs: Number(row.last_at),
  items,
  pets: pets.map(petOf),
  ...(row.frozen_at === null ? {} : { frozenAtMs: Number(row.frozen_at) }),
});

export const feedingRowOf = (row: Omit<FeedingTimerRow, 'owner'>): FeedingRow => ({
  subject: row.subject,
  dueAtMs: Number(row.due_at),
  fireAtMs: Number(row.fire_at),
});

export const eventOf = (row: EventRow): HomeEvent =>
  eventOfRecord({
    seq: Number(row.seq),
    atMs: Number(row.at),
    type: row.type,
    body: row.body,
    commandId: row.command_id,
  });

/** The row holds what the event's schema let in. */
export const eventOfRecord = ({ seq, atMs, type, body, commandId }: ReadEvent): HomeEvent =>
  ({ v: 1, seq, at: atMs, ...(commandId !== null && { commandId }), type, ...body }) as HomeEvent;

export const answeredOf = (rows: readonly AnsweredRow[]): readonly AnsweredCommand[] => {
  const byCommand = Map.groupBy(rows, (row) => `${row.player_id} ${row.asked_id}`);
  return [...byCommand.values()].flatMap((own) =>
    own.slice(0, 1).map((first) => ({
      playerId: first.player_id,
      commandId: first.asked_id,
      hash: first.command_hash,
      events: own.map(eventOf),
    })),
  );
};

export const petOf = (row: PetRow): Pet => ({
  petId: row.pet_id,
  name: row.name,
  species: row.species,
  xp: Number(row.xp),
  feeding: row.feeding_id === null ? undefined : feedingOf(row, row.feeding_id),
  lastFeeding:
    row.last_feeding_id === null
      ? undefined
      : {
          feedingId: row.last_feeding_id,
          food: row.last_food,
          workMs: Number(row.last_work_ms),
          xp: Number(row.last_xp),
          outcome: row.last_outcome,
        },
  boost: row.boost_rate === null ? undefined : { rate: row.boost_rate, endsAtMs: Number(row.boost_ends_at) },
  armed: row.armed,
  blockedAtMs: row.blocked_at === null ? undefined : Number(row.blocked_at),
});

const feedingOf = (row: PetRow, feedingId: string): Feeding => ({
  feedingId,
  food: row.food,
  workMs: Number(row.work_ms),
  xp: Number(row.feeding_xp),
  by: row.fed_by,
  startedAtMs: Number(row.started_at),
  work: { leftMs: Number(row.left_ms), sinceAtMs: Number(row.since_at) },
  hasCards: row.has_cards,
});
