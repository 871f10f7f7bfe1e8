import type { TimerStore } from '../../../server/timer/model/timer-store.ts';

/** From here on rows are deferred only once what is returned was called. */
export const holdClaims = (store: TimerStore): (() => void) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const defer = store.defer.bind(store);
  store.defer = async (deferrals) => {
    await promise;
    return defer(deferrals);
  };
  return resolve;
};
