import type { HandlerTx } from '../../model/handler-tx.ts';
import type { TimerKinds } from '../../model/timer-kinds.ts';
import type { Tx } from '../../model/timer-store.ts';
import type { TimerWrites } from '../../model/timer-writes.ts';
import { timerWriter } from '../../write/timer-writer.ts';
import type { OwnTurns } from './own-turns.ts';

interface Parts {
  readonly tx: Tx;
  readonly kinds: TimerKinds;
  readonly turns: OwnTurns;
  /** Writes of other timers. */
  readonly others: TimerWrites;
  readonly afterCommit: HandlerTx['afterCommit'];
  readonly nowMs: number;
}

/** Makes `tx`, which the store has made for this one try, into what the handler gets. */
export const handlerTx = ({ tx, kinds, turns, others, afterCommit, nowMs }: Parts): HandlerTx =>
  Object.assign(tx, { timers: timerWriter(writesOf(turns, others), kinds, async () => nowMs), afterCommit });

/** Timers that are being fired are noted, all others written. */
const writesOf = (turns: OwnTurns, others: TimerWrites): TimerWrites => ({
  schedule: (wanted) =>
    sorted(wanted, {
      own: (one) => turns.of(one),
      one: (mine, one) => turns.schedule(mine, one),
      rest: others.schedule,
    }),
  change: (changes) =>
    sorted(changes, {
      own: ({ target }) => turns.of(target),
      one: (mine, change) => turns.change(mine, change),
      rest: others.change,
    }),
  cancelByOwner: async (owners) => [...turns.cancelByOwner(owners), ...(await others.cancelByOwner(owners))],
});

interface Sorting<Item, Mine, Outcome> {
  readonly own: (item: Item) => Mine | undefined;
  readonly one: (mine: Mine, item: Item) => Outcome;
  readonly rest: (items: readonly Item[]) => Promise<readonly Outcome[]>;
}

/** `one` for each item that is our own, `rest` for all others at once; the outcomes in the order of the items. */
const sorted = async <Item, Mine, Outcome>(
  items: readonly Item[],
  { own, one, rest }: Sorting<Item, Mine, Outcome>,
): Promise<readonly Outcome[]> => {
  const parts = items.map((item) => ({ item, mine: own(item) }));
  const noted = parts.flatMap(({ item, mine }) => (mine === undefined ? [] : [one(mine, item)])).values();
  const foreign = parts.flatMap(({ item, mine }) => (mine === undefined ? [item] : []));
  const written = (foreign.length === 0 ? [] : await rest(foreign)).values();
  return parts.flatMap(({ mine }) => {
    const { value } = mine === undefined ? written.next() : noted.next();
    return value === undefined ? [] : [value];
  });
};
