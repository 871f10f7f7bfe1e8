import type { HomeStore } from '../../../server/home/model/home-store.ts';

/** The store, with another way to change homes. */
export const storeWith = (store: HomeStore, change: HomeStore['change']): HomeStore => ({
  change,
  changeIn: store.changeIn.bind(store),
  whole: store.whole.bind(store),
  events: store.events.bind(store),
  newestSeqs: store.newestSeqs.bind(store),
  epoch: store.epoch.bind(store),
  nowMs: store.nowMs.bind(store),
});
