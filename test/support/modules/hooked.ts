import { z } from 'zod';
import type { Sql } from '../../../shared/host-rows.ts';
import { defineModule } from '../../../shared/module/module.ts';

type InTransaction = (tx: Sql, changes: readonly { readonly playerId: string }[]) => Promise<void>;

/** A module whose only command makes a thing, with `first` things from the start, and with rows of the game's own. */
export const hooked = (inTransaction: InTransaction, first: readonly string[] = []) =>
  defineModule({
    name: 'hooked',
    thing: z.object({}),
    initial: {},
    events: { sung: z.object({}) },
    commands: { sing: z.object({}) },
  }).rules({
    decide: { sing: ({ newId }) => [{ type: 'sung', thing: newId }] },
    evolve: { sung: () => ({}) },
    open: () => first.map((thing) => ({ type: 'sung', thing })),
    inTransaction,
  });
