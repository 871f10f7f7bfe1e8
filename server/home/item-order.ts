import { textOf } from '../../shared/game-code.ts';
import type { Items } from '../../shared/items.ts';
import type { Rejection } from '../../shared/protocol.ts';
import type { Outcome } from './model/homes.ts';
import type { HandledInTx } from './write/in-transaction.ts';

/** Items to give or take; `commandId` makes a repetition harmless. */
export interface ItemOrder {
  readonly playerId: string;
  readonly commandId: string;
  /** By item name: how many, 1 or more. */
  readonly items: Items;
  /** The player's log shows it. */
  readonly reason: string;
}

/** `mustGrant` and `mustTake` throw it for the first refused order. */
export class CommandRefused extends Error {
  readonly code: string;
  readonly params: Rejection['params'];
  readonly retryable: boolean;
  readonly playerId: string;

  constructor({ code, params, retryable }: Rejection, { playerId, commandId }: ItemOrder) {
    super(`${textOf(commandId)} of ${playerId} is refused: ${code} ${JSON.stringify(params)}`);
    this.name = 'CommandRefused';
    this.code = code;
    this.params = params;
    this.retryable = retryable;
    this.playerId = playerId;
  }
}

/** The replies. Throws for the first order that was refused. */
export const accepted = (orders: readonly ItemOrder[], done: readonly Outcome[] | HandledInTx) => {
  const outcomes = 'outcomes' in done ? done.outcomes : done;
  const replies = outcomes.map((outcome, at) => {
    if (outcome.ok) return outcome.value;
    throw new CommandRefused(outcome.error, orders[at] as ItemOrder);
  });
  return 'outcomes' in done ? done : replies;
};
