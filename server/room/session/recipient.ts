import type { EventsMessage as PetsEventsMessage } from '../../../shared/pets/protocol.ts';
import type { DrainMessage, EventsMessage, Rejection, ThingsMessage } from '../../../shared/protocol.ts';

/** What the server sends by itself, by message name: as clients of the pets know it. */
export interface HomeMessages {
  'home:events': PetsEventsMessage;
  /** To clients that asked for things: all of them, then those that each commit touched, before its events. */
  'home:things': ThingsMessage;
  /** Replies to plain messages: for SDKs that have no `request`. */
  'home:reply': { readonly commandId?: string; readonly nowMs: number };
  /** The same; or, without a `commandId`, what was wrong with the options of the join. */
  'home:rejected': Rejection & { readonly commandId?: string };
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
