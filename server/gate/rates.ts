import { createRateLimit, type Rate } from '../http/rate-limit.ts';
import { limits } from '../settings/config.ts';

/** Limits of costly acts by player and address, counted in this process. `isFree`: for load from one machine. */
export const createRates = ({ seed, isFree }: { readonly seed: string; readonly isFree: boolean }) => {
  const { counters, ...rates } = limits.rates;
  // Because of the seed, a client cannot choose addresses that share a victim's counter.
  const byAddress = (rate: Rate) =>
    createRateLimit(isFree ? { ...rate, count: Number.MAX_SAFE_INTEGER } : rate, { counters, seed });
  return {
    rates: {
      messages: createRateLimit(rates.messagesPerPlayer),
      joins: createRateLimit(rates.joinsPerPlayer),
      badTokens: byAddress(rates.badTokensPerAddress),
    },
    wrongTokens: byAddress(rates.wrongOpsTokensPerAddress),
    addressRates: isFree
      ? undefined
      : {
          requests: byAddress(rates.requestsPerAddress),
          joins: byAddress(rates.joinsPerAddress),
          guests: byAddress(rates.guestsPerAddress),
        },
  };
};
