import type { Home } from '../../../shared/home.ts';
import type { Homes } from '../../home/model/homes.ts';
import type { Recipient } from './recipient.ts';
import type { Describe } from './things-teller.ts';

export interface SessionOptions {
  readonly playerId: string;
  readonly homes: Homes;
  /** The client as it is connected now; undefined while it is away. */
  readonly recipient: () => Recipient | undefined;
  /** How much of the log one push may carry, at most. */
  readonly page: { readonly limit: number; readonly maxBytes: number };
  readonly describe: Describe;
  readonly onFault: (message: string, error: unknown) => void;
  /** The player was erased. */
  readonly onErased?: (() => void) | undefined;
}

/** Brings a newer home to those who look at its state; called before the events are sent that made it. */
export type Show = (home: Home, epoch?: string) => void;

/** Where a client was when it last knew: of a join's options. */
export interface Since {
  readonly afterSeq?: number | undefined;
  readonly epoch?: string | undefined;
  /** Whether it hears of things (`home:things`). */
  readonly things?: boolean | undefined;
}
