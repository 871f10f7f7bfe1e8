import type { Timer } from '../model/timer.ts';
import { type HandlerTx, noteCalls, receiveRefusals } from '../model/timer-kind.ts';
import type { TimerKinds } from '../model/timer-kinds.ts';
import type { TimerStore, Tx } from '../model/timer-store.ts';
import type { TimerWrites } from '../model/timer-writes.ts';
import { inTransaction, writesIn } from '../write/timer-transaction.ts';
import { timerWriter } from '../write/timer-writer.ts';
import type { OwnTurns } from './own-turns.ts';

interface Parts {
  readonly tx: Tx;
  readonly store: TimerStore;
  readonly kinds: TimerKinds;
  readonly turns: OwnTurns;
  /** Receives the written rows of other timers. */
  readonly written: Timer[];
  readonly afterCommit: HandlerTx['afterCommit'];
  readonly nowMs: number;
  /** Receives errors of calls in this transaction, also of calls that the handler does not await. */
  readonly onRefused: (error: unknown) => void;
}

/** Makes the handler's argument: `tx`, which the store made for this one try, and `timers`, which writes in it. */
export const handlerTx = ({ tx, store, kinds, turns, written, afterCommit, nowMs, onRefused }: Parts): HandlerTx => {
  const others = writesIn({ store, tx, written, firing: turns.ids });
  const writes = writesOf(turns, others);
  const timers = timerWriter({
    writes,
    ...inTransaction({ store, tx, writes, written }),
    kinds,
    nowMs: async () => nowMs,
  });
  const own: HandlerTx = { ...tx, timers: noteCalls(() => own, timers), afterCommit };
  receiveRefusals(own, onRefused);
  return own;
};

/** Changes of timers that fire now are noted; all other timers are written. */
const writesOf = (turns: OwnTurns, others: TimerWrites): TimerWrites => ({
  schedule: (wanted) =>
    sorted(turns, wanted, {
      own: (one) => turns.of(one),
      one: (mine, one) => turns.schedule(mine, one),
      rest: others.schedule,
    }),
  change: (changes) =>
    sorted(turns, changes, {
      own: ({ target }) => turns.of(target),
      one: (mine, change) => turns.change(mine, change),
      rest: others.change,
    }),
  changeByOwner: async (change) => [
    ...turns.whole(() => turns.changeMany(change)),
    ...(await others.changeByOwner(change)),
  ],
  changeByKind: async (change) =>
    turns.whole(() => turns.changeMany(change)).length + (await others.changeByKind(change)),
});

interface Sorting<Item, Mine, Outcome> {
  readonly own: (item: Item) => Mine | undefined;
  readonly one: (mine: Mine, item: Item) => Outcome;
  readonly rest: (items: readonly Item[]) => Promise<readonly Outcome[]>;
}

/** Calls `one` for each own item and `rest` for all others at once. The outcomes have the order of the items. */
const sorted = async <Item, Mine, Outcome>(
  turns: OwnTurns,
  items: readonly Item[],
  { own, one, rest }: Sorting<Item, Mine, Outcome>,
): Promise<readonly Outcome[]> => {
  const parts = items.map((item) => ({ item, mine: own(item) }));
  const note = () => parts.flatMap(({ item, mine }) => (mine === undefined ? [] : [one(mine, item)]));
  const noted = turns.whole(note).values();
  const foreign = parts.flatMap(({ item, mine }) => (mine === undefined ? [item] : []));
  const written = (foreign.length === 0 ? [] : await rest(foreign)).values();
  return parts.flatMap(({ mine }) => {
    const { value } = mine === undefined ? written.next() : noted.next();
    return value === undefined ? [] : [value];
  });
};
