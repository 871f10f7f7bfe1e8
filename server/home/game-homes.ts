import { mayBePlayer, PLAYER_ID_RULE } from '../../shared/ids.ts';
import type { Items } from '../../shared/items.ts';
import type { Payloads } from '../../shared/module/payloads-of.ts';
import { data } from '../../shared/options/json-data.ts';
import { readOptions } from '../../shared/options/read-options.ts';
import { fields, list, value } from '../../shared/options/shapes.ts';
import { type Reply, reject } from '../../shared/protocol.ts';
import { refused } from '../../shared/result.ts';
import type { Modules } from '../domain/modules.ts';
import { readCommand } from '../domain/read-command.ts';
import { openTransaction, refuseIfNone } from '../timer/model/open-transaction.ts';
import { noteCall } from '../timer/model/timer-kind.ts';
import type { Tx } from '../timer/model/timer-store.ts';
import type { HomeService } from './home-service.ts';
import { accepted, type ItemOrder } from './item-order.ts';
import type { HomeView } from './model/commit.ts';
import type { HomeOrder, Outcome } from './model/homes.ts';
import type { HandledInTx } from './write/in-transaction.ts';

/** The engine's own commands, without `commandId`. */
export interface EnginePayloads {
  readonly 'home:grant': { readonly items: Items; readonly reason: string };
  readonly 'home:take': { readonly items: Items; readonly reason: string };
}

/** A command from the game's own server code, checked here like one from the wire. */
export type GameCommand<Known extends object = Payloads> = {
  readonly [Each in keyof (Known & EnginePayloads) & string]: {
    readonly playerId: string;
    readonly type: Each;
    readonly payload: (Known & EnginePayloads)[Each] & { readonly commandId: string };
  };
}[keyof (Known & EnginePayloads) & string];

export interface InTransaction {
  /**
   * The game's own transaction. After its commit call `afterCommit()` of the result. In a handler the engine calls it,
   * and a locked home throws `Locked` at once.
   */
  readonly tx: Tx;
}

/**
 * `kibble.homes`: the homes for the game's own server code. Arrays in, outcomes in the same order out; a faulty command
 * is refused with `command/invalid`. Throws `OptionsRefused` if the argument is no list of commands, and
 * `OutcomeUnknown` if the outcome of a commit was lost. Without `tx` a list may have any length: it is done in parts of
 * at most 500, each with its own commits. Parts behind one that throws are not begun.
 */
export class GameHomes<Known extends object = Payloads> {
  readonly #homes: HomeService;
  readonly #modules: Modules;
  readonly #onFault: OnFault;

  /** @internal */
  constructor(homes: HomeService, modules: Modules, onFault: OnFault) {
    this.#homes = homes;
    this.#modules = modules;
    this.#onFault = onFault;
  }

  handle(commands: readonly GameCommand<Known>[]): Promise<readonly Outcome[]>;
  handle(commands: readonly GameCommand<Known>[], options: InTransaction): Promise<HandledInTx>;
  handle(commands: readonly GameCommand<Known>[], options?: InTransaction): Promise<readonly Outcome[] | HandledInTx> {
    return noteCall(txOf(options), this.#handle(commands, options));
  }

  async #handle(given: readonly LooseCommand[], inTx?: InTransaction): Promise<readonly Outcome[] | HandledInTx> {
    const { commands, options } = readOptions(homesCalls.handle, { commands: given, options: inTx }, 'handle');
    const read = commands.map((command) => this.#orderOf(command));
    const orders = read.flatMap((entry) => ('order' in entry ? entry.order : []));
    const merge = (outcomes: readonly Outcome[]): readonly Outcome[] => {
      const handled = outcomes.values();
      return read.map((entry) => ('order' in entry ? (handled.next().value ?? unavailable) : entry.refusal));
    };
    if (!options) {
      const outcomes: Outcome[] = [];
      for (const part of partsOf(orders, ({ playerId }) => playerId))
        outcomes.push(...(await this.#homes.handle(part)));
      return merge(outcomes);
    }
    await refuseIfNone(options.tx);
    const handled = await this.#homes.handleIn(options.tx, orders);
    return { ...handled, outcomes: merge(handled.outcomes) };
  }

  grant(orders: readonly ItemOrder[]): Promise<readonly Outcome[]>;
  grant(orders: readonly ItemOrder[], options: InTransaction): Promise<HandledInTx>;
  grant(orders: readonly ItemOrder[], options?: InTransaction): Promise<readonly Outcome[] | HandledInTx> {
    return noteCall(txOf(options), this.#move('grant', orders, options));
  }

  take(orders: readonly ItemOrder[]): Promise<readonly Outcome[]>;
  take(orders: readonly ItemOrder[], options: InTransaction): Promise<HandledInTx>;
  take(orders: readonly ItemOrder[], options?: InTransaction): Promise<readonly Outcome[] | HandledInTx> {
    return noteCall(txOf(options), this.#move('take', orders, options));
  }

  async #move(
    call: 'grant' | 'take',
    given: readonly ItemOrder[],
    inTx?: InTransaction,
  ): Promise<readonly Outcome[] | HandledInTx> {
    const { orders, options } = readOptions(homesCalls[call], { orders: given, options: inTx }, call);
    const commands = orders.map(({ playerId, ...payload }) => ({ playerId, type: `home:${call}` as const, payload }));
    return this.#handle(commands, options);
  }

  /** As `grant`, but throws `CommandRefused` if an order is refused, so that a handler cannot miss it. */
  mustGrant(orders: readonly ItemOrder[]): Promise<readonly Reply[]>;
  mustGrant(orders: readonly ItemOrder[], options: InTransaction): Promise<HandledInTx>;
  mustGrant(orders: readonly ItemOrder[], options?: InTransaction): Promise<readonly Reply[] | HandledInTx> {
    return noteCall(txOf(options), this.#must('grant', orders, options));
  }

  /** As `take`, but throws like `mustGrant`. */
  mustTake(orders: readonly ItemOrder[]): Promise<readonly Reply[]>;
  mustTake(orders: readonly ItemOrder[], options: InTransaction): Promise<HandledInTx>;
  mustTake(orders: readonly ItemOrder[], options?: InTransaction): Promise<readonly Reply[] | HandledInTx> {
    return noteCall(txOf(options), this.#must('take', orders, options));
  }

  async #must(
    call: 'grant' | 'take',
    given: readonly ItemOrder[],
    inTx?: InTransaction,
  ): Promise<readonly Reply[] | HandledInTx> {
    // A copy: the game may empty its list before the outcomes come.
    const { orders } = readOptions(homesCalls[call], { orders: given, options: inTx }, call);
    return accepted(orders, await this.#move(call, orders, inTx));
  }

  /**
   * For a game with its own inventory: call it after a commit in which the game itself gave items to these players.
   * Chains that waited for food begin now, and clients see the items. Throws a `StoreFault` if a home could not be
   * reached; then call it again.
   */
  async stockChanged(given: readonly string[]): Promise<void> {
    const { playerIds } = readOptions(homesCalls.stockChanged, { playerIds: given }, 'stockChanged');
    for (const part of partsOf(playerIds)) await this.#homes.stockChanged(part);
  }

  /** Settles, then returns the homes in the order of the ids. */
  async look(playerIds: readonly string[]): Promise<readonly HomeView[]> {
    const views: HomeView[] = [];
    const read = readOptions(homesCalls.look, { playerIds }, 'look');
    for (const part of partsOf(read.playerIds)) views.push(...(await this.#homes.look(part)));
    return views;
  }

  #orderOf({ playerId, type, payload }: LooseCommand): { order: HomeOrder } | { refusal: Outcome } {
    if (!mayBePlayer(playerId)) return invalid('playerId', 'is no player id');
    const read = readCommand(this.#modules, type, payload);
    if (read.ok) return { order: { playerId, ...read.value } };
    if (read.fault) this.#onFault('a command could not be read', read.fault);
    return { refusal: refused(read.error) };
  }
}

const MOST_AT_ONCE = 500;
const MOST_OF_A_PLAYER = 32;

/** In the same order. All that waits counts for the bounds of the write path, also those of one player. */
function* partsOf<Item>(items: readonly Item[], playerOf = (item: Item) => String(item)): Generator<readonly Item[]> {
  let part: Item[] = [];
  const counts = new Map<string, number>();
  for (const item of items) {
    const playerId = playerOf(item);
    if (part.length === MOST_AT_ONCE || counts.get(playerId) === MOST_OF_A_PLAYER) {
      yield part;
      part = [];
      counts.clear();
    }
    part.push(item);
    counts.set(playerId, (counts.get(playerId) ?? 0) + 1);
  }
  if (part.length > 0) yield part;
}

/** The options are not yet checked: a call with a field that throws has to reject. */
const txOf = (options: InTransaction | undefined): Tx | undefined => {
  try {
    return options?.tx;
  } catch {
    return undefined;
  }
};

type OnFault = (message: string, error: unknown) => void;

/** A command of a game in JavaScript, or one that a game passes on from a client. */
interface LooseCommand {
  readonly playerId: string;
  readonly type: string;
  readonly payload: unknown;
}

const playerId = value<string>(mayBePlayer, PLAYER_ID_RULE);
const text = value<string>((given) => typeof given === 'string', 'give text');
const options = fields<InTransaction>({ tx: openTransaction }).optional();
/** Checked with the command: a fault is the command's outcome. */
const any = data.optional();
const orders = list(fields<ItemOrder>({ playerId: text, commandId: any, items: any, reason: any }));

/** The arguments of each call. A faulty command is not refused here but in its outcome, since it may be a client's. */
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

const invalid = (path: string, message: string): { refusal: Outcome } => ({
  refusal: refused(reject('command/invalid', { faults: [{ path, message }] })),
});

const unavailable: Outcome = refused(reject('server/unavailable'));
