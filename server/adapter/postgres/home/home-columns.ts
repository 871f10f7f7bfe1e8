import type { HomeEvent } from '../../../../shared/event.ts';
import { seqOf } from '../../../../shared/ids.ts';
import { omit } from '../../../../shared/omit.ts';
import type { HomeChange } from '../../../home/model/home-store.ts';
import type { FeedingRow } from '../../../home/write/feeding-changes.ts';
import type { OwnedPet } from '../../../home/write/pet-changes.ts';

/** What a statement of `homeSql` takes: one array a column. */
export type Columns = readonly (readonly unknown[])[];

const columns = <Row>(rows: readonly Row[], ...cells: readonly ((row: Row) => unknown)[]): Columns =>
  cells.map((cell) => rows.map(cell));

/** By player, the `tx` of the newest event before; the home's row says it. */
export type LastTx = ReadonlyMap<string, string>;

/** By player, how often the id was erased before. */
export type Lives = ReadonlyMap<string, number>;

export const homeColumns = (changes: readonly HomeChange[], lastTx: LastTx, lives: Lives): Columns =>
  columns(
    changes,
    ({ after }) => after.playerId,
    ({ after }) => after.seq,
    ({ after }) => after.lastAtMs,
    ({ after }) => lastTx.get(after.playerId),
    ({ after }) => after.frozenAtMs,
    ({ after }) => lives.get(after.playerId) ?? 0,
  );

export const petColumns = (pets: readonly OwnedPet[]): Columns =>
  columns(
    pets,
    ({ pet }) => pet.petId,
    ({ playerId }) => playerId,
    ({ pet }) => seqOf(pet.petId),
    ({ pet }) => pet.name,
    ({ pet }) => pet.species,
    ({ pet }) => pet.xp,
    ({ pet }) => pet.boost?.rate,
    ({ pet }) => pet.boost?.endsAtMs,
    ({ pet }) => JSON.stringify(pet.armed),
    ({ pet }) => pet.blockedAtMs,
    ({ pet }) => pet.lastFeeding?.feedingId,
    ({ pet }) => pet.lastFeeding?.food,
    ({ pet }) => pet.lastFeeding?.workMs,
    ({ pet }) => pet.lastFeeding?.xp,
    ({ pet }) => pet.lastFeeding?.outcome,
  );

export const feedingColumns = (rows: readonly FeedingRow[]): Columns =>
  columns(
    rows,
    ({ feeding }) => feeding.feedingId,
    ({ playerId }) => playerId,
    ({ petId }) => petId,
    ({ state }) => state,
    ({ feeding }) => feeding.food,
    ({ feeding }) => feeding.by,
    ({ feeding }) => feeding.workMs,
    ({ feeding }) => feeding.xp,
    ({ feeding }) => feeding.hasCards,
    ({ feeding }) => feeding.startedAtMs,
    ({ feeding }) => feeding.work.leftMs,
    ({ feeding }) => feeding.work.sinceAtMs,
    ({ endedAtMs }) => endedAtMs,
  );

export const eventColumns = (changes: readonly HomeChange[], lastTx: LastTx): Columns =>
  columns(
    changes.flatMap(({ after, events, commands }) =>
      events.map((event) => ({ playerId: after.playerId, event, command: commands.get(event.seq) })),
    ),
    ({ playerId }) => playerId,
    ({ event }) => event.seq,
    ({ event }) => event.at,
    ({ event }) => event.type,
    ({ event }) => bodyOf(event),
    ({ event }) => event.commandId,
    ({ command }) => command?.hash,
    ({ command }) => command?.answerSeq,
    ({ playerId }) => lastTx.get(playerId),
  );

/** What the other columns do not say. */
const bodyOf = (event: HomeEvent): string => JSON.stringify(omit(event, 'v', 'seq', 'at', 'type', 'commandId'));
