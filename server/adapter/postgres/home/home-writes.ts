import type { HomeChange, HomesChanged } from '../../../home/model/home-store.ts';
import type { Inventory, ItemMove } from '../../../home/model/inventory.ts';
import { changedFeedings } from '../../../home/write/feeding-changes.ts';
import { changedPets, releasedPets } from '../../../home/write/pet-changes.ts';
import { timerChanges } from '../../../home/write/timer-changes.ts';
import type { TimerStore, Tx } from '../../../timer/model/timer-store.ts';
import { inOrder, type Step } from '../statement.ts';
import { type Columns, eventColumns, feedingColumns, homeColumns, petColumns } from './home-columns.ts';
import type { LoadedRows } from './home-loader.ts';
import type { HomeSql, RunHomeSql } from './home-sql.ts';

interface Saving {
  readonly tx: Tx;
  readonly changes: readonly HomeChange[];
  readonly loaded: LoadedRows;
  readonly timers: Pick<TimerStore, 'changeDerived'>;
  /** What is left to tell the inventory. */
  readonly moves: readonly ItemMove[];
  readonly inventory: Inventory;
  readonly run: RunHomeSql;
  readonly commit: Step;
}

/** The second half of a change: writes all that a batch changed, and commits. Returns what the index has to be told. */
export const saveHomes = async (saving: Saving): Promise<HomesChanged> => {
  const { tx, changes, loaded, timers, commit } = saving;
  const { derived, healed } = timerChanges(changes, loaded);
  const saveTimers = async (): Promise<HomesChanged> => {
    const index = derived ? await timers.changeDerived(tx, derived, loaded.nowMs) : { put: [], remove: [] };
    return healed ? { ...index, healed } : index;
  };
  const saves = savesOf(saving);
  const [, index] = await inOrder(tx, [() => inOrder(tx, saves), saveTimers, commit]);
  return index;
};

/** All columns are made before the first statement is sent: where that fails, no commit is under way. */
const savesOf = ({ tx, changes, loaded, moves, inventory, run }: Saving): readonly Step[] => {
  const { lastTx, lives } = loaded;
  const released = releasedPets(changes);
  const pets = changedPets(changes);
  const feedings = changedFeedings(changes);
  const save = (statement: keyof HomeSql, columns: Columns): Step => {
    return () => run(tx, statement, columns);
  };
  return [
    ...(changes.length > 0 ? [save('saveHomes', homeColumns(changes, lastTx, lives))] : []),
    ...(changes.length > 0 ? [save('saveEvents', eventColumns(changes, lastTx))] : []),
    ...(released.length > 0 ? [save('deletePets', [released])] : []),
    ...(pets.length > 0 ? [save('savePets', petColumns(pets))] : []),
    ...(feedings.length > 0 ? [save('saveFeedings', feedingColumns(feedings))] : []),
    ...(moves.length > 0 ? [() => inventory.apply(tx, moves)] : []),
  ];
};
