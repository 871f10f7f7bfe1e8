import { claimsAndRevisionsContract } from './timer-store/claims-and-revisions.ts';
import { derivedRowsContract } from './timer-store/derived-rows.ts';
import { keysAndRowsContract } from './timer-store/keys-and-rows.ts';
import { pagesContract } from './timer-store/pages.ts';
import type { MakeStore } from './timer-store/store-scene.ts';
import { transactionsContract } from './timer-store/transactions.ts';
import { turnsContract } from './timer-store/turns.ts';

/** What every timer store owes the engine. */
export const timerStoreContract = (name: string, make: MakeStore): void => {
  keysAndRowsContract(name, make);
  claimsAndRevisionsContract(name, make);
  turnsContract(name, make);
  transactionsContract(name, make);
  derivedRowsContract(name, make);
  pagesContract(name, make);
};
