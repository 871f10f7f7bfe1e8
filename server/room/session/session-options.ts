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
import type { Clock } from '../../runtime/clock.ts';

/** Messages that the server sends by itself, by name, as clients of the pets know them. */
export interface HomeMessages {
  'home:events': PetsEventsMessage;
  /** For clients that asked for things: all of them, then those that each commit touched, before its events. */
  'home:things': ThingsMessage;
  /** Replies to plain messages, for SDKs without `request`. */
  'home:reply': { readonly commandId?: string; readonly nowMs: number };
  /** A refusal of a plain message; without a `commandId`, the fault in the options of the join. */
  'home:rejected': Rejection & { readonly commandId?: string };
  /** The rules of a module are new; the game fetches them. */
  'home:rules': RulesMessage;
  /** A guest's renewed token, which replaces the old one. */
  'home:token': { readonly token: string };
  /** This process stops: it accepts no command any more, and ends the connection (4001) after the last reply. */
  'home:drain': DrainMessage;
}

/** The client of one connection: after a reconnection there is another one. */
export interface Recipient {
  send<Type extends keyof SentMessages>(type: Type, message: SentMessages[Type]): void;
}

/** The same with events of any module. */
interface SentMessages extends Omit<HomeMessages, 'home:events'> {
  'home:events': EventsMessage;
}

/** Describes things for clients: those of the keys that exist; without keys all. */
export type Describe = (home: Home, keys?: readonly ThingKey[]) => readonly ToldThing[];

export interface SessionOptions {
  readonly playerId: string;
  readonly homes: Homes;
  /** The connected client; undefined while it is away. */
  readonly recipient: () => Recipient | undefined;
  /** The most that one push of the log may contain. */
  readonly page: { readonly limit: number; readonly maxBytes: number };
  readonly describe: Describe;
  readonly clock: Pick<Clock, 'after'>;
  readonly onFault: (message: string, error: unknown) => void;
  /** Called after the player was erased. */
  readonly onErased?: (() => void) | undefined;
}

/** Shows a newer home in the state; called before its events are sent. */
export type Show = (home: Home, epoch?: string) => void;

/** The client's last known event, from the options of its join. */
export interface Since {
  readonly afterSeq?: number | undefined;
  readonly epoch?: string | undefined;
  /** Whether the client wants things (`home:things`). */
  readonly things?: boolean | undefined;
}
