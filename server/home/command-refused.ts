import { textOf } from '../../shared/game-code.ts';
import type { Rejection } from '../../shared/protocol.ts';
import type { ItemOrder } from './game-homes.ts';
import type { Outcome } from './model/homes.ts';
import type { HandledInTx } from './write/in-transaction.ts';

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
