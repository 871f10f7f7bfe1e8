import { systemClock } from '../server/adapter/machine/system-clock.ts';
import type { Tx } from '../server/timer/model/timer-store.ts';
import { hold } from './claims.ts';

const BEGIN_MS = 5000;

interface Transactions {
  transaction<Answer>(work: (tx: Tx) => Promise<Answer>): Promise<Answer>;
}

/** The game's act in another transaction at the same time. */
export class Outside {
  readonly #under: Transactions;
  readonly #act: (tx: Tx) => Promise<void>;
  #isOver = false;
  #pid = 0;
  #ended: Promise<boolean> = Promise.resolve(false);

  constructor(under: Transactions, act: (tx: Tx) => Promise<void>) {
    this.#under = under;
    this.#act = act;
  }

  /** Resolves when the other transaction has begun and is about to act. */
  async begin(): Promise<void> {
    await new Promise<void>((there, reject) => {
      const late = 'no second transaction begins: two must run at once';
      const cancel = systemClock.after(BEGIN_MS, () => reject(new Error(late)));
      this.#ended = fails(() =>
        this.#under.transaction(async (tx) => {
          const { rows } = await tx.query('select pg_backend_pid() as pid');
          this.#pid = Number((rows[0] as { pid: number }).pid);
          cancel();
          there();
          await this.#act(tx);
        }),
      ).finally(() => {
        this.#isOver = true;
        cancel();
        there();
      });
    });
  }

  /** Polls Postgres until the transaction waits for a lock, or has ended. Returns whether it has taken nothing. */
  async isHeldUp(tx: Tx): Promise<boolean> {
    while (!this.#isOver) {
      const { rows } = await tx.query(POLL, [this.#pid]);
      const { is_blocked, is_long } = rows[0] as { is_blocked: boolean; is_long: boolean };
      if (is_blocked) return true;
      hold(!is_long, 'takeOutside neither ends nor waits for a lock of Postgres: lock there, or throw');
    }
    return this.#ended;
  }

  hasFailed(): Promise<boolean> {
    return this.#ended;
  }
}

/** `now()` is the begin of the transaction that polls. */
const POLL = `select cardinality(pg_blocking_pids($1)) > 0 as is_blocked,
                     clock_timestamp() - now() > interval '5 s' as is_long`;

export const fails = (work: () => Promise<unknown>): Promise<boolean> =>
  work().then(
    () => false,
    () => true,
  );
