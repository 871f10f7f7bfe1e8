// Types in the signatures of `createKibble`, for the entry `colyseus-kibble`. A test finds missing ones.

export type { Difference } from '../shared/differences.ts';
export type { EngineBody, EngineEvent, EventPlace, HomeEvent } from '../shared/event.ts';
export type { GameFault } from '../shared/game-code.ts';
export type { Frozen, Home, Thing, Things } from '../shared/home.ts';
export type { Items } from '../shared/items.ts';
export type {
  AnyModule,
  Asked,
  ByConfig,
  Changed,
  EventOf,
  EventType,
  GivenConfig,
  MessagePrefix,
  MessagesOf,
  OperatorTurn,
  Refusal,
  Refuse,
  Scene,
  Shapes,
  Sql,
  ThingField,
  ThingOf,
  Turn,
  Wire,
} from '../shared/module/module.ts';
export type {
  AnyModules,
  KeyOfEach,
  MessagesOfEach,
  Payloads,
  PayloadsOf,
  ValueOfEach,
} from '../shared/module/payloads-of.ts';
export type { OpsRules, OpsRulesChanged, OpsRulesVersion } from '../shared/ops/ops-rules.ts';
export type { Card, Catalogue, Food, Limits } from '../shared/pets/catalogue.ts';
export type { FieldsOf, Moved, PetEvent, PetEventOf, PetEventType, PetsEvent } from '../shared/pets/events.ts';
export type { Armed, EndedFeeding, Feeding, Meal, Pet } from '../shared/pets/pet.ts';
export type { Pets } from '../shared/pets/pets.ts';
export type {
  CommandMessage,
  CommandOf,
  CommandType,
  EventsMessage as PetsEventsMessage,
  PlayerCommandType,
  SyncReply as PetsSyncReply,
} from '../shared/pets/protocol.ts';
export type {
  Command,
  DrainMessage,
  EventsMessage,
  QuotedEvent,
  QuoteMessage,
  QuoteReply,
  Rejection,
  RejectionCode,
  Reply,
  SyncMessage,
  SyncReply,
  ThingsMessage,
  TimeReply,
  Told,
  ToldThing,
} from '../shared/protocol.ts';
export type { RefusalCode, Result } from '../shared/result.ts';
export type { Boost, Work } from '../shared/work.ts';
export type { WorksCommands, WorksEvents } from '../shared/works/contract.ts';
export type { WorksRules } from '../shared/works/rules-file.ts';
export type { WorksThing } from '../shared/works/thing.ts';
export type { Works } from '../shared/works/works.ts';
export type { DrizzleSql, DrizzleTransaction, PrismaTransaction } from './adapter/postgres/orm-transactions.ts';
export type { FaultPlace, ModuleFault } from './domain/module-fault.ts';
export type {
  GameItems,
  LoadedModule,
  LooseChange,
  LooseDraft,
  LooseRules,
  Modules,
  NumberedRules,
  OfModule,
  OwnEvent,
} from './domain/modules.ts';
export type { OperatorCommand, Responsible, ThingOfModule } from './domain/scene.ts';
export type { EnginePayloads, GameCommand, GameHomes, InTransaction } from './home/game-homes.ts';
export type { ItemOrder } from './home/item-order.ts';
export type { Consumer, PlayerEvent } from './home/log/consumer.ts';
export type { Answer, Commit, Fault, Follower, HomeView, ThingKey } from './home/model/commit.ts';
export type { HomeOrder, Homes, LogCursor, Outcome, PlayerHomes, PlayerOrder } from './home/model/homes.ts';
export type { Inventory, ItemMove } from './home/model/inventory.ts';
export type { OnRules, RulesInForce } from './home/model/rules-in-force.ts';
export type { HandledInTx } from './home/write/in-transaction.ts';
export type { KibbleLifecycle, ServerDatabase } from './room/around-colyseus/beside-database.ts';
export type { HandlersOf, HomeHandler, HomeHandlers, ModuleHandlers, Together } from './room/home-messages.ts';
export type { HomePlugin } from './room/home-plugin.ts';
export type { Answered } from './room/session/answer.ts';
export type { HomeMessages } from './room/session/session-options.ts';
export type { Clock } from './runtime/clock.ts';
export type { EngineLog } from './runtime/engine-log.ts';
export type { ClockState } from './timer/clock/clock-guard.ts';
export type { ClockCare } from './timer/clock/clock-watch.ts';
export type { Reconciled } from './timer/index/reconciler.ts';
export type { IndexCare, IndexInside, IndexState, OwnEntry } from './timer/index-operations.ts';
export type { IndexDifferences } from './timer/model/engine-event.ts';
export type { DueTime, Timer, TimerState } from './timer/model/timer.ts';
export type { ChangeOutcome, NewTimer, ScheduleOutcome, TimerTarget } from './timer/model/timer-changes.ts';
export type { CallKind, FireKind, TimerKind } from './timer/model/timer-kind.ts';
export type { Tx } from './timer/model/timer-store.ts';
export type { OnceOnly, ScheduleAnswer, TimerWriter, Undated } from './timer/model/timer-writes.ts';
export type { TimerService } from './timer/timer-service.ts';
export type { TimerTransaction } from './timer/write/timer-transaction.ts';
export type {
  CheckedRules,
  GameRules,
  GameRulesOn,
  OrderedRules,
  ReplaceRules,
  RollBackRules,
} from './wiring/game-rules.ts';
export type { Trouble } from './wiring/health.ts';
export type { Ops } from './wiring/ops-of.ts';
