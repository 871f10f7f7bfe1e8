// Types in the signatures of `followHome`, for the entry `/client`. A test finds missing ones.

export type { EngineBody, EngineEvent, EventPlace, HomeEvent as AnyEvent } from '../../shared/event.ts';
export type { Frozen } from '../../shared/home.ts';
export type {
  AnyModule,
  Body,
  Counters,
  EventOf,
  EventType,
  Flat,
  GivenConfig,
  Happened,
  Items,
  Key,
  MessagePrefix,
  MessagesOf,
  Refusal,
  RefusalCode,
  Shapes,
  Sql,
  ThingField,
  ThingOf,
  Wire,
  Words,
  WordsByLanguage,
} from '../../shared/module/module.ts';
export type { KeyOfEach, MessagesOfEach, ValueOfEach } from '../../shared/module/payloads-of.ts';
export type { FieldsOf, Moved, PetEvent, PetEventType, PetsEvent, PetsEventBody } from '../../shared/pets/events.ts';
export type { Pet } from '../../shared/pets/pet.ts';
export type { Pets } from '../../shared/pets/pets.ts';
export type {
  Command,
  CommandMessage,
  CommandOf,
  CommandType,
  HomeEvent,
  PlayerCommandType,
  QuotedEvent,
  QuoteReply,
  Reply,
  Told,
} from '../../shared/pets/protocol.ts';
export type {
  QuotedEvent as AnyQuotedEvent,
  QuoteReply as AnyQuoteReply,
  Rejection,
  RejectionCode,
  Reply as AnyReply,
  RulesMessage,
} from '../../shared/protocol.ts';
export type * from './seen-modules.ts';
