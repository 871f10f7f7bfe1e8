import type { DrainMessage, EventsMessage, Rejection } from '../../../shared/protocol.ts';

/** What the server sends by itself, by message name. */
export interface HomeMessages {
  'home:events': EventsMessage;
  /** Answers to plain messages: for SDKs that have no `request`. */
  'home:reply': { readonly commandId?: string; readonly nowMs: number };
  /** The same; or, without a `commandId`, what was wrong with the options of the join. */
  'home:rejected': Rejection & { readonly commandId?: string };
  /** A guest's renewed token, to be kept instead of the old one. */
  'home:token': { readonly token: string };
  /** This process stops: no command is accepted here any more, and the connection ends (4001) after the last answer. */
  'home:drain': DrainMessage;
}

/** The client's end of one connection: after a reconnect there is another. */
export interface Recipient {
  send<Type extends keyof HomeMessages>(type: Type, message: HomeMessages[Type]): void;
}
