import { claimsAndRevisionsContract } from './timer-store/claims-and-revisions.ts';
import { homeHoldsContract } from './timer-store/home-holds.ts';
import { keysAndRowsContract } from './timer-store/keys-and-rows.ts';
import { pagesContract } from './timer-store/pages.ts';
import type { MakeStore } from './timer-store/store-scene.ts';
import { thingTimersContract } from './timer-store/thing-timers.ts';
import { transactionsContract } from './timer-store/transactions.ts';
import { turnsContract } from './timer-store/turns.ts';

/** The contract of every timer store. */
export const timerStoreContract = (name: string, make: MakeStore): void => {
  keysAndRowsContract(name, make);
  claimsAndRevisionsContract(name, make);
  turnsContract(name, make);
  transactionsContract(name, make);
  thingTimersContract(name, make);
  homeHoldsContract(name, make);
  pagesContract(name, make);
};
