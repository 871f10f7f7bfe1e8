import type { Home } from '../../../shared/home.ts';
import type { EventsMessage as PetsEventsMessage } from '../../../shared/pets/protocol.ts';
import type {
  DrainMessage,
  EventsMessage,
  Rejection,
  RulesMessage,
  ThingsMessage,
  ToldThing,
} from '../../../shared/protocol.ts';
import type { ThingKey } from '../../home/model/commit.ts';
import type { Homes } from '../../home/model/homes.ts';

/** What the server sends by itself, by message name: as clients of the pets know it. */
export interface HomeMessages {
  'home:events': PetsEventsMessage;
  /** To clients that asked for things: all of them, then those that each commit touched, before its events. */
  'home:things': ThingsMessage;
  /** Replies to plain messages: for SDKs that have no `request`. */
  'home:reply': { readonly commandId?: string; readonly nowMs: number };
  /** The same; or, without a `commandId`, what was wrong with the options of the join. */
  'home:rejected': Rejection & { readonly commandId?: string };
  /** The rules of a module are new: what they say is for the game to fetch. */
  'home:rules': RulesMessage;
  /** A guest's renewed token, to be kept instead of the old one. */
  'home:token': { readonly token: string };
  /** This process stops: no command is accepted here any more, and the connection ends (4001) after the last reply. */
  'home:drain': DrainMessage;
}

/** The client's end of one connection: after a reconnect there is another. */
export interface Recipient {
  send<Type extends keyof SentMessages>(type: Type, message: SentMessages[Type]): void;
}

/** The same with events of any module. */
interface SentMessages extends Omit<HomeMessages, 'home:events'> {
  'home:events': EventsMessage;
}

/** Things as clients are told of them: those of the keys that are there; without keys all. */
export type Describe = (home: Home, keys?: readonly ThingKey[]) => readonly ToldThing[];

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
