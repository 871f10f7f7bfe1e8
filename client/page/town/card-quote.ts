import type { AnyQuoteReply } from '../../follow/follow-home.ts';

/** A card's effect in the server's quote. Instants are its epoch milliseconds. */
export interface CardQuote {
  /** How many cards it takes: the price of a finish. */
  readonly count: number;
  readonly dueAt: number;
  /** The work ends at once. */
  readonly isDone: boolean;
  readonly wastedMs: number;
  readonly boost: { readonly rate: number; readonly endsAtMs: number } | undefined;
}

/** Undefined: the reply quotes no card. */
export const quoteOf = ({ events }: Pick<AnyQuoteReply, 'events'>): CardQuote | undefined => {
  const used = events.find(({ type }) => type === 'town/card-used');
  if (!used) return undefined;
  return {
    count: Number(used.count),
    dueAt: Number(used.dueAt),
    isDone: used.workLeftMs === 0,
    wastedMs: Number(used.wastedMs ?? 0),
    boost: used.boost as CardQuote['boost'],
  };
};
