import { mayBePlayer, PLAYER_ID_RULE } from '../../shared/ids.ts';
import type { Items } from '../../shared/items.ts';
import type { Payloads } from '../../shared/module/payloads-of.ts';
import { readOptions } from '../../shared/options/read-options.ts';
import { anything, fields, having, list, value } from '../../shared/options/shapes.ts';
import { type Rejection, type Reply, reject } from '../../shared/protocol.ts';
import { refused } from '../../shared/result.ts';
import type { Modules } from '../domain/modules.ts';
import { readCommand } from '../domain/read-command.ts';
import type { Tx } from '../timer/model/timer-store.ts';
import type { HomeService } from './home-service.ts';
import type { HomeView } from './model/commit.ts';
import type { HomeOrder, Outcome } from './model/homes.ts';
import type { HandledInTx } from './write/in-transaction.ts';

/** What the engine itself does with a home, without `commandId`. */
export interface EnginePayloads {
  readonly 'home:grant': { readonly items: Items; readonly reason: string };
  readonly 'home:take': { readonly items: Items; readonly reason: string };
}

/** A command as the game's own server code gives it: checked here like one from the wire. */
export type GameCommand<Known extends object = Payloads> = {
  readonly [Each in keyof (Known & EnginePayloads) & string]: {
    readonly playerId: string;
    readonly type: Each;
    readonly payload: (Known & EnginePayloads)[Each] & { readonly commandId: string };
  };
}[keyof (Known & EnginePayloads) & string];

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
   * A transaction of the game's own. Then `afterCommit()` of what it returns has to be called after its commit; not in a
   * handler, where the engine does so, and where a locked home throws `Locked` instead of being waited for.
   */
  readonly tx: Tx;
}

/**
 * `kibble.homes`: what the game's own server code asks of the homes. Arrays in, outcomes in the same order out; what
 * is not right is refused with `command/invalid`. Throws `OptionsRefused` for what is no list of commands, and
 * `OutcomeUnknown` when the outcome of a commit was lost.
 */
export class GameHomes<Known extends object = Payloads> {
  readonly #homes: HomeService;
  readonly #modules: Modules;

  /** @internal */
  constructor(homes: HomeService, modules: Modules) {
    this.#homes = homes;
    this.#modules = modules;
  }

  handle(commands: readonly GameCommand<Known>[]): Promise<readonly Outcome[]>;
  handle(commands: readonly GameCommand<Known>[], options: InTransaction): Promise<HandledInTx>;
  handle(commands: readonly GameCommand<Known>[], options?: InTransaction): Promise<readonly Outcome[] | HandledInTx> {
    return this.#handle(commands, options);
  }

  async #handle(commands: readonly LooseCommand[], options?: InTransaction): Promise<readonly Outcome[] | HandledInTx> {
    readOptions(homesCalls.handle, { commands, options }, 'handle');
    const read = commands.map((command) => orderOf(this.#modules, command));
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
    return this.#move('grant', orders, options);
  }

  take(orders: readonly ItemOrder[]): Promise<readonly Outcome[]>;
  take(orders: readonly ItemOrder[], options: InTransaction): Promise<HandledInTx>;
  take(orders: readonly ItemOrder[], options?: InTransaction): Promise<readonly Outcome[] | HandledInTx> {
    return this.#move('take', orders, options);
  }

  async #move(
    call: 'grant' | 'take',
    orders: readonly ItemOrder[],
    options?: InTransaction,
  ): Promise<readonly Outcome[] | HandledInTx> {
    readOptions(homesCalls[call], { orders, options }, call);
    const commands = orders.map(({ playerId, ...payload }) => ({ playerId, type: `home:${call}` as const, payload }));
    return this.#handle(commands, options);
  }

  /** As `grant`; throws `CommandRefused` where one is refused: nothing is lost without a word, in a handler least of all. */
  mustGrant(orders: readonly ItemOrder[]): Promise<readonly Reply[]>;
  mustGrant(orders: readonly ItemOrder[], options: InTransaction): Promise<HandledInTx>;
  async mustGrant(orders: readonly ItemOrder[], options?: InTransaction): Promise<readonly Reply[] | HandledInTx> {
    return accepted(orders, options ? await this.grant(orders, options) : await this.grant(orders));
  }

  /** As `take`, and as `mustGrant`. */
  mustTake(orders: readonly ItemOrder[]): Promise<readonly Reply[]>;
  mustTake(orders: readonly ItemOrder[], options: InTransaction): Promise<HandledInTx>;
  async mustTake(orders: readonly ItemOrder[], options?: InTransaction): Promise<readonly Reply[] | HandledInTx> {
    return accepted(orders, options ? await this.take(orders, options) : await this.take(orders));
  }

  /**
   * For a game with an inventory of its own that gave these players items by itself, after the commit of that: chains that
   * waited for food begin now. Throws a `StoreFault` when a home could not be had; call it again then.
   */
  async stockChanged(playerIds: readonly string[]): Promise<void> {
    readOptions(homesCalls.stockChanged, { playerIds }, 'stockChanged');
    for (let at = 0; at < playerIds.length; at += STOCKS_AT_ONCE) {
      await this.#homes.look(playerIds.slice(at, at + STOCKS_AT_ONCE));
    }
  }

  /** Settles, then returns the homes in the order asked. */
  async look(playerIds: readonly string[]): Promise<readonly HomeView[]> {
    readOptions(homesCalls.look, { playerIds }, 'look');
    return this.#homes.look(playerIds);
  }
}

const STOCKS_AT_ONCE = 500;

/** Thrown by `mustGrant` and `mustTake` for the first order that was refused. */
export class CommandRefused extends Error {
  readonly code: string;
  readonly params: Rejection['params'];
  readonly retryable: boolean;
  readonly playerId: string;

  constructor({ code, params, retryable }: Rejection, { playerId, commandId }: ItemOrder) {
    super(`${commandId} of ${playerId} is refused: ${code} ${JSON.stringify(params)}`);
    this.name = 'CommandRefused';
    this.code = code;
    this.params = params;
    this.retryable = retryable;
    this.playerId = playerId;
  }
}

const accepted = (orders: readonly ItemOrder[], done: readonly Outcome[] | HandledInTx) => {
  const outcomes = 'outcomes' in done ? done.outcomes : done;
  const replies = outcomes.map((outcome, at) => {
    if (outcome.ok) return outcome.value;
    throw new CommandRefused(outcome.error, orders[at] as ItemOrder);
  });
  return 'outcomes' in done ? done : replies;
};

/** From a game in JavaScript, or one that passes on what a client sent. */
interface LooseCommand {
  readonly playerId: string;
  readonly type: string;
  readonly payload: unknown;
}

const playerId = value<string>(mayBePlayer, PLAYER_ID_RULE);
const text = value<string>((given) => typeof given === 'string', 'give text');
const options = fields<InTransaction>({ tx: having<Tx>('query') }).optional();
/** Judged with the command: the refusal is its outcome. */
const any = anything.optional();
const orders = list(fields<ItemOrder>({ playerId: text, commandId: any, items: any, reason: any }));

/** The arguments of each call. What is wrong with a command itself is its outcome: it may be a client's. */
export const homesCalls = {
  handle: fields({
    commands: list(fields<LooseCommand>({ playerId: text, type: text, payload: any })),
    options,
  }),
  grant: fields({ orders, options }),
  take: fields({ orders, options }),
  stockChanged: fields({ playerIds: list(playerId) }),
  look: fields({ playerIds: list(playerId) }),
};

const orderOf = (
  modules: Modules,
  { playerId, type, payload }: LooseCommand,
): { order: HomeOrder } | { refusal: Outcome } => {
  if (!mayBePlayer(playerId)) return invalid('playerId', 'is no player id');
  const read = readCommand(modules, type, payload);
  return read.ok ? { order: { playerId, ...read.value } } : { refusal: read };
};

const invalid = (path: string, message: string): { refusal: Outcome } => ({
  refusal: refused(reject('command/invalid', { faults: [{ path, message }] })),
});

const unavailable: Outcome = refused(reject('server/unavailable'));
