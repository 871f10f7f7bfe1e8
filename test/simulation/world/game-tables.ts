import { type Session, type SimDatabase, StatementFailed } from './sim-database.ts';

/** A timer's payload: what its handler has to do. */
export interface Order {
  /** How often the timer comes due. */
  readonly turns: number;
  /** From one turn to the next. */
  readonly everyMs: number;
  /** Attempts that fail, after the handler has written its effect. */
  readonly fails: number;
  /** No attempt can succeed. */
  readonly isHopeless: boolean;
}

/** A call of `timers` in a transaction of the game, and its outcome. */
export interface DoneStep {
  readonly subject: string;
  /** The due time that was asked for, or a distance from the timer's own. */
  readonly dueAtMs?: number;
  readonly byMs?: number;
  readonly type: 'schedule' | 'shift' | 'reschedule' | 'cancel';
  readonly order?: Order;
  /** When it was sent, by the database's clock. */
  readonly askedAtMs: number;
  readonly outcome: string;
  /** Of the row that was written. */
  readonly timerId: string | undefined;
}

/** A transaction of the game. Its id is a key. */
export interface TransactionRow {
  readonly type: 'transaction';
  readonly id: string;
  readonly steps: readonly DoneStep[];
}

/** The effect of one turn of a timer. The table has no key, so that a second effect is stored. */
export interface EffectRow {
  readonly type: 'effect';
  readonly timerId: string;
  readonly turn: number;
  /** As the handler got it. */
  readonly dueAtMs: number;
  /** When the timer comes again; undefined: never. */
  readonly nextDueAtMs: number | undefined;
  /** By the database's clock. */
  readonly writtenAtMs: number;
}

/** A committed row. */
export type GameRow = (TransactionRow | EffectRow) & { readonly committedAtMs: number };

/** The key is taken: the transaction was committed before. */
export class KeyTaken extends StatementFailed {
  override readonly name = 'KeyTaken';
}

export const INSERT_TRANSACTION = 'insert transaction';
export const INSERT_EFFECTS = 'insert effects';

interface At {
  readonly database: SimDatabase;
  readonly session: Session;
}

/** The only statements that the game's tables know. */
export const runOnGameTables = async (at: At, text: string, values: readonly unknown[]): Promise<void> => {
  if (text === INSERT_TRANSACTION) return insertTransaction(at, values[0] as TransactionRow);
  if (text === INSERT_EFFECTS) return insertEffects(at, values as readonly EffectRow[]);
  throw new StatementFailed(`not known: ${text}`);
};

/** Waits for another transaction with the same key, as a unique index does. */
const insertTransaction = async ({ database, session }: At, row: TransactionRow): Promise<void> => {
  await session.lock(`transaction ${row.id}`);
  if (database.game.some((one) => one.type === 'transaction' && one.id === row.id)) throw new KeyTaken(row.id);
  session.write(() => database.game.push({ ...row, committedAtMs: database.nowMs() }));
};

const insertEffects = async ({ database, session }: At, rows: readonly EffectRow[]): Promise<void> => {
  const writtenAtMs = database.nowMs();
  session.write(() => {
    for (const row of rows) database.game.push({ ...row, writtenAtMs, committedAtMs: database.nowMs() });
  });
};
