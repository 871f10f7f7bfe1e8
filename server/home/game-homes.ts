import type { Items } from '../../shared/catalogue.ts';
import { isPlayerId } from '../../shared/ids.ts';
import { type CommandMessage, type CommandType, commandTypes, parseCommand, reject } from '../../shared/protocol.ts';
import { refused } from '../../shared/result.ts';
import type { Tx } from '../timer/model/timer-store.ts';
import type { HandledInTx, HomeService } from './home-service.ts';
import type { HomeOrder, HomeView, Outcome } from './model/homes.ts';

/** A command as the game's own server code gives it: checked here like one from the wire. */
export type GameCommand<Type extends CommandType = CommandType> = {
  readonly [Each in Type]: {
    readonly playerId: string;
    readonly type: Each;
    readonly payload: CommandMessage<Each>;
  };
}[Type];

/** Items to give or to take; `commandId` makes the repetition harmless. */
export interface ItemOrder {
  readonly playerId: string;
  readonly commandId: string;
  /** Item name -> how many, 1 or more. */
  readonly items: Items;
  /** Stands in the player's log. */
  readonly reason: string;
}

export interface InTransaction {
  /**
   * A transaction of the game's own. Then `afterCommit()` of the answer has to be called after its commit; not in a
   * handler, where the engine does so, and where a locked home throws `Locked` instead of being waited for.
   */
  readonly tx: Tx;
}

/**
 * `kibble.homes`: what the game's own server code asks of the homes. Arrays in, outcomes in the same order out; what
 * is not right is refused with `command/invalid`. Throws `OutcomeUnknown` when a commit's answer was lost.
 */
export class GameHomes {
  readonly #homes: HomeService;

  /** @internal */
  constructor(homes: HomeService) {
    this.#homes = homes;
  }

  handle(commands: readonly GameCommand[]): Promise<readonly Outcome[]>;
  handle(commands: readonly GameCommand[], options: InTransaction): Promise<HandledInTx>;
  async handle(commands: readonly GameCommand[], options?: InTransaction): Promise<readonly Outcome[] | HandledInTx> {
    const read = commands.map(orderOf);
    const orders = read.flatMap((entry) => ('order' in entry ? entry.order : []));
    const merge = (outcomes: readonly Outcome[]): readonly Outcome[] => {
      const handled = outcomes.values();
      return read.map((entry) => ('order' in entry ? (handled.next().value ?? unavailable) : entry.refusal));
    };
    if (!options) return merge(await this.#homes.handle(orders));
    const inTx = await this.#homes.handleIn(options.tx, orders);
    return { ...inTx, outcomes: merge(inTx.outcomes) };
  }

  grant(orders: readonly ItemOrder[]): Promise<readonly Outcome[]>;
  grant(orders: readonly ItemOrder[], options: InTransaction): Promise<HandledInTx>;
  grant(orders: readonly ItemOrder[], options?: InTransaction): Promise<readonly Outcome[] | HandledInTx> {
    const commands = orders.map(({ playerId, ...payload }) => ({ playerId, type: 'home:grant', payload }) as const);
    return options ? this.handle(commands, options) : this.handle(commands);
  }

  take(orders: readonly ItemOrder[]): Promise<readonly Outcome[]>;
  take(orders: readonly ItemOrder[], options: InTransaction): Promise<HandledInTx>;
  take(orders: readonly ItemOrder[], options?: InTransaction): Promise<readonly Outcome[] | HandledInTx> {
    const commands = orders.map(({ playerId, ...payload }) => ({ playerId, type: 'home:take', payload }) as const);
    return options ? this.handle(commands, options) : this.handle(commands);
  }

  /**
   * For a game with an inventory of its own that gave these players items by itself, after the commit of that: chains that
   * waited for food begin now. Throws a `StoreFault` when a home could not be had; call it again then.
   */
  async stockChanged(playerIds: readonly string[]): Promise<void> {
    for (let at = 0; at < playerIds.length; at += STOCKS_AT_ONCE) {
      await this.#homes.look(playerIds.slice(at, at + STOCKS_AT_ONCE));
    }
  }

  /** Settles, then returns the homes in the order asked. */
  look(playerIds: readonly string[]): Promise<readonly HomeView[]> {
    return this.#homes.look(playerIds);
  }
}

const STOCKS_AT_ONCE = 500;

const orderOf = ({ playerId, type, payload }: GameCommand): { order: HomeOrder } | { refusal: Outcome } => {
  if (!isPlayerId(playerId)) return invalid('playerId', 'is no player id');
  // A game in JavaScript, or one that passes on what a client sent.
  if (!commandTypes.includes(type)) return invalid('type', 'is no command');
  const parsed = parseCommand(type, payload);
  return parsed.ok ? { order: { playerId, ...parsed.value } } : { refusal: parsed };
};

const invalid = (path: string, message: string): { refusal: Outcome } => ({
  refusal: refused(reject('command/invalid', { faults: [{ path, message }] })),
});

const unavailable: Outcome = refused(reject('server/unavailable'));
