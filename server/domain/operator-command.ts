import type { Command } from '../../shared/protocol.ts';

/** Who does it, and why: both stand in the player's log. */
export interface Responsible {
  readonly by: string;
  readonly reason: string;
}

/** What an operator may do to a home, besides giving and taking items. Never on a client's wire. */
export type OperatorCommand = Responsible &
  (
    | { readonly type: 'ops:shift'; readonly petId: string; readonly feedingId?: string; readonly byMs: number }
    | { readonly type: 'ops:advance'; readonly byMs: number }
    | { readonly type: 'ops:stop'; readonly petId: string; readonly feedingId?: string }
    | { readonly type: 'ops:freeze' }
    | { readonly type: 'ops:unfreeze' }
  );

export const isOperatorCommand = (command: Command | OperatorCommand): command is OperatorCommand =>
  command.type.startsWith('ops:');
