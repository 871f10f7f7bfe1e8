import { EntitySchema } from 'typeorm';
import type { Home } from '../../../../shared/home.ts';
import type { Items } from '../../../../shared/items.ts';
import { LATEST_MS } from '../../../../shared/latest-ms.ts';
import { bigintNumber, decimalId, textId } from './columns.ts';

export interface EpochRecord {
  readonly isOne: boolean;
  readonly epoch: string;
  /** The secret of the draws; read only where rules are called. */
  readonly secret?: string;
  readonly erasedSalt: string;
}

export const epochEntity = new EntitySchema<EpochRecord>({
  name: 'epoch',
  columns: {
    isOne: { type: 'boolean', name: 'is_one', primary: true, default: true },
    epoch: { type: 'text' },
    secret: { type: 'text', select: false },
    erasedSalt: { type: 'text', name: 'erased_salt' },
  },
  checks: [{ name: 'epoch_is_one_check', expression: 'is_one' }],
});

export interface HomeRecord {
  readonly playerId: string;
  readonly seq: number;
  readonly lastAtMs: number;
  /** The `tx` of the newest event. */
  readonly tx: number;
  readonly frozenAtMs: number | null;
  /** How often this player's id was erased before. */
  readonly life: number;
  /** Modules that have opened the home. */
  readonly opened: readonly string[];
  /** The stock; empty if a game has its own inventory. */
  readonly items: Items;
  readonly counters: Home['counters'];
}

export const homeEntity = new EntitySchema<HomeRecord>({
  name: 'home',
  columns: {
    playerId: { ...textId, name: 'player_id', primary: true },
    seq: bigintNumber,
    lastAtMs: { ...bigintNumber, name: 'last_at' },
    tx: bigintNumber,
    frozenAtMs: { ...bigintNumber, name: 'frozen_at', nullable: true },
    life: { type: 'integer', default: 0 },
    opened: { type: 'text', array: true },
    items: { type: 'jsonb', default: {} },
    counters: { type: 'jsonb', default: {} },
  },
  checks: [
    { name: 'home_seq_check', expression: 'seq > 0' },
    { name: 'home_last_at_check', expression: 'last_at > 0' },
    { name: 'home_items_whole', expression: "not items @? '$.* ? (@ < 0)'" },
  ],
});

export interface ThingRecord {
  readonly playerId: string;
  readonly module: string;
  readonly thingId: string;
  /** The id of its timer. */
  readonly id: string;
  readonly version: number;
  readonly state: object;
  readonly title: string | null;
  /** Null: it has no timer now. */
  readonly dueAtMs: number | null;
  readonly dueSinceMs: number;
  readonly revision: number;
}

export const thingEntity = new EntitySchema<ThingRecord>({
  name: 'thing',
  columns: {
    playerId: { ...textId, name: 'player_id', primary: true },
    module: { ...textId, primary: true },
    thingId: { ...textId, name: 'thing_id', primary: true },
    id: { ...decimalId, generated: 'increment' },
    version: { type: 'integer' },
    state: { type: 'jsonb' },
    title: { type: 'text', nullable: true },
    dueAtMs: { ...bigintNumber, name: 'due_at', nullable: true },
    dueSinceMs: { ...bigintNumber, name: 'due_since' },
    revision: { type: 'integer', default: 1 },
  },
  // TypeORM must not handle this index, since it is on an expression.
  indices: [
    { name: 'thing_title_prefix', columns: ['title'], synchronize: false },
    { name: 'thing_due', columns: ['dueAtMs', 'id'], where: 'due_at is not null' },
  ],
  checks: [
    { name: 'thing_version_check', expression: 'version > 0' },
    { name: 'thing_due_at_check', expression: `abs(due_at) < ${LATEST_MS}` },
  ],
});

export interface EventRecord {
  readonly playerId: string;
  readonly seq: number;
  readonly atMs: number;
  /** The clock reading that the batch used. */
  readonly readAtMs: number;
  readonly type: string;
  readonly body: object;
  readonly commandId: string | null;
  readonly commandHash: string | null;
  readonly answerSeq: number | null;
  /** Orders the log of all players: see ADR 30. */
  readonly tx: number;
}

export const eventEntity = new EntitySchema<EventRecord>({
  name: 'event',
  columns: {
    playerId: { ...textId, name: 'player_id', primary: true },
    seq: { ...bigintNumber, primary: true },
    atMs: { ...bigintNumber, name: 'at' },
    readAtMs: { ...bigintNumber, name: 'read_at' },
    type: { type: 'text' },
    body: { type: 'jsonb' },
    commandId: { ...textId, name: 'command_id', nullable: true },
    commandHash: { type: 'text', name: 'command_hash', nullable: true },
    answerSeq: { ...bigintNumber, name: 'answer_seq', nullable: true },
    tx: bigintNumber,
  },
  indices: [
    { name: 'event_command', columns: ['playerId', 'commandId'], unique: true, where: 'command_id is not null' },
    { name: 'event_order', columns: ['tx', 'playerId', 'seq'] },
  ],
  checks: [
    { name: 'event_seq_check', expression: 'seq > 0' },
    { name: 'event_command_hashed', expression: '(command_id is null) = (command_hash is null)' },
    { name: 'event_command_answered', expression: '(command_id is null) = (answer_seq is null)' },
  ],
});

/** A home in a checkpoint: with the version in which each module's things are written. */
export interface CheckpointHome extends Home {
  readonly versions: Readonly<Record<string, number>>;
}

export interface CheckpointRecord {
  readonly playerId: string;
  readonly seq: number;
  readonly home: CheckpointHome;
}

export const checkpointEntity = new EntitySchema<CheckpointRecord>({
  name: 'checkpoint',
  columns: {
    playerId: { ...textId, name: 'player_id', primary: true },
    seq: bigintNumber,
    home: { type: 'jsonb' },
  },
  checks: [{ name: 'checkpoint_seq_check', expression: 'seq > 0' }],
});
