// The types that the signatures of `createKibble` name, for the entry `colyseus-kibble`. A test finds the missing ones.

export type { Card, Catalogue, Food, Items, Limits } from '../shared/catalogue.ts';
export type { EventBody, EventOf, EventPlace, EventType, HomeEvent } from '../shared/event.ts';
export type { Armed, EndedFeeding, Feeding, Home, Meal, Pet } from '../shared/home.ts';
export type {
  Command,
  CommandMessage,
  CommandOf,
  CommandType,
  DrainMessage,
  EventsMessage,
  PlayerCommandType,
  QuotedEvent,
  QuoteMessage,
  QuoteReply,
  Rejection,
  RejectionCode,
  Reply,
  SyncMessage,
  SyncReply,
  TimeReply,
} from '../shared/protocol.ts';
export type { Result } from '../shared/result.ts';
export type { Boost, Work } from '../shared/work.ts';
export type { OperatorCommand, Responsible } from './domain/operator-command.ts';
export type { Consumer, PlayerEvent } from './home/consumer.ts';
export type { GameCommand, GameHomes, InTransaction, ItemOrder } from './home/game-homes.ts';
export type { HandledInTx } from './home/home-service.ts';
export type {
  Answer,
  Commit,
  Follower,
  HomeOrder,
  Homes,
  HomeView,
  LogCursor,
  Outcome,
} from './home/homes.ts';
export type { Inventory, ItemMove } from './home/inventory.ts';
export type { Ops } from './ops-of.ts';
export type { Answered } from './room/answer.ts';
export type { HomeHandler, HomeHandlers } from './room/home-messages.ts';
export type { HomePlugin } from './room/home-plugin.ts';
export type { HomeMessages } from './room/recipient.ts';
export type { Clock } from './timer/clock.ts';
export type { ClockState } from './timer/clock-guard.ts';
export type { ClockCare } from './timer/clock-watch.ts';
export type { EngineLog } from './timer/engine-log.ts';
export type { IndexCare, IndexInside, IndexState } from './timer/index-care.ts';
export type { Reconciled } from './timer/reconciler.ts';
export type { Timer, TimerState } from './timer/timer.ts';
export type { CallKind, DerivedKind, FireKind, TimerKind, Unsettled } from './timer/timer-kind.ts';
export type { TimerService } from './timer/timer-service.ts';
export type { ChangeOutcome, NewTimer, ScheduleOutcome, TimerTarget, Tx } from './timer/timer-store.ts';
export type { TimerTransaction } from './timer/timer-transaction.ts';
export type { ScheduleAnswer, TimerWriter } from './timer/timer-writer.ts';
export type { Trouble } from './wiring/troubles.ts';
