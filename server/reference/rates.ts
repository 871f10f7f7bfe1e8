import type { AddressRates } from '../gate/front-gate.ts';
import { createRateLimit, type Rate, type RateLimit } from '../http/rate-limit.ts';
import type { RoomRates } from '../room/home-auth.ts';

export interface RatesOptions {
  readonly messagesPerPlayer: Rate;
  readonly joinsPerPlayer: Rate;
  readonly requestsPerAddress: Rate;
  readonly joinsPerAddress: Rate;
  readonly guestsPerAddress: Rate;
  readonly badTokensPerAddress: Rate;
  readonly wrongOpsTokensPerAddress: Rate;
  readonly counters: number;
  /** So that nobody can choose addresses that share a victim's counter. */
  readonly seed: string;
  /** For load from one machine: nothing is counted by address. */
  readonly isFree: boolean;
}

/** How often players and addresses may do what costs something, counted in this process. */
export const createRates = (
  options: RatesOptions,
): {
  readonly rates: RoomRates;
  readonly addressRates: AddressRates | undefined;
  readonly wrongTokens: RateLimit;
} => {
  const byAddress = (rate: Rate) =>
    createRateLimit(options.isFree ? { ...rate, count: Number.MAX_SAFE_INTEGER } : rate, options);
  return {
    rates: {
      messages: createRateLimit(options.messagesPerPlayer),
      joins: createRateLimit(options.joinsPerPlayer),
      badTokens: byAddress(options.badTokensPerAddress),
    },
    wrongTokens: byAddress(options.wrongOpsTokensPerAddress),
    addressRates: options.isFree
      ? undefined
      : {
          requests: byAddress(options.requestsPerAddress),
          joins: byAddress(options.joinsPerAddress),
          guests: byAddress(options.guestsPerAddress),
        },
  };
};
