import type { HomeChange, HomesChanged, LoadedHomes } from '../../../home/model/home-store.ts';
import type { Inventory, ItemMove } from '../../../home/model/inventory.ts';
import { changedFeedings } from '../../../home/write/feeding-changes.ts';
import { changedPets, releasedPets } from '../../../home/write/pet-changes.ts';
import { type ComparedHomes, timerChanges } from '../../../home/write/timer-changes.ts';
import type { TimerStore, Tx } from '../../../timer/model/timer-store.ts';
import type { Step } from '../stepped-transaction.ts';
import {
  type Columns,
  eventColumns,
  feedingColumns,
  homeColumns,
  type LastTx,
  type Lives,
  petColumns,
} from './home-columns.ts';
import type { HomeSql } from './home-sql.ts';

/** What a transaction has locked and loaded. */
export interface LoadedRows extends LoadedHomes, ComparedHomes {
  readonly lastTx: LastTx;
  readonly lives: Lives;
}

interface Writing {
  readonly tx: Tx;
  readonly changes: readonly HomeChange[];
  readonly loaded: LoadedRows;
  readonly timers: Pick<TimerStore, 'changeDerived'>;
  /** What is left to tell the inventory. */
  readonly moves: readonly ItemMove[];
  readonly inventory: Inventory;
  readonly run: (statement: keyof HomeSql, columns: Columns) => Promise<unknown>;
  /** Hears what became of the timer rows. */
  readonly changed: (changed: HomesChanged) => void;
}

/** All that a batch writes, in order. */
export const homeWrites = ({
  tx,
  changes,
  loaded,
  moves,
  timers,
  inventory,
  run,
  changed,
}: Writing): readonly Step[] => {
  const { nowMs, lastTx, lives } = loaded;
  const released = releasedPets(changes);
  const pets = changedPets(changes);
  const feedings = changedFeedings(changes);
  const { derived, healed } = timerChanges(changes, loaded);
  const save = (isNeeded: boolean, statement: keyof HomeSql, columns: () => Columns): readonly Step[] =>
    isNeeded ? [() => run(statement, columns())] : [];
  const saveTimers = async (): Promise<void> => {
    const index = await timers.changeDerived(tx, derived ?? {}, nowMs);
    changed(healed ? { ...index, healed } : index);
  };
  return [
    ...save(changes.length > 0, 'saveHomes', () => homeColumns(changes, lastTx, lives)),
    ...save(changes.length > 0, 'saveEvents', () => eventColumns(changes, lastTx)),
    ...save(released.length > 0, 'deletePets', () => [released]),
    ...save(pets.length > 0, 'savePets', () => petColumns(pets)),
    ...save(feedings.length > 0, 'saveFeedings', () => feedingColumns(feedings)),
    ...(moves.length > 0 ? [() => inventory.apply(tx, moves)] : []),
    ...(derived ? [saveTimers] : []),
  ];
};
