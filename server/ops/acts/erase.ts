import type { OpsWrite } from '../../../shared/ops/acts.ts';
import type { OpsAnswers } from '../../../shared/ops/ops-answers.ts';
import { ok } from '../../../shared/result.ts';
import type { HomeService } from '../../home/home-service.ts';
import type { Inventory } from '../../home/model/inventory.ts';
import type { IndexChanges } from '../../timer/model/index-entry.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import type { AuditStore } from '../perform/audit.ts';
import { perform } from '../perform/perform.ts';
import { type OpsResult, refuse } from '../perform/refusal.ts';

export interface Erased {
  /** Rows that were removed, by table. */
  readonly removed: Readonly<Record<string, number>>;
  /** Other homes that were merged with this one: they are the same person's, perhaps. */
  readonly related: readonly string[];
  readonly index: IndexChanges;
}

export interface EraseStore {
  /** What stands for the player's id when it is gone. */
  hashOf(playerId: string): Promise<string>;
  /** Removes everything of the player, and takes what names it out of the audit. Undefined when nothing was there. */
  erase(tx: Tx, playerId: string): Promise<Erased | undefined>;
}

interface Dependencies {
  readonly homes: Pick<HomeService, 'erased'>;
  readonly store: EraseStore;
  readonly audit: AuditStore;
  readonly inventory: Pick<Inventory, 'erase'>;
}

/** Removes a player for good. What stays is an entry of the audit that names a hash; who looks at the home is told. */
export const erasePlayer = async (
  { homes, store, audit, inventory }: Dependencies,
  { actor, playerId, write }: { readonly actor: string; readonly playerId: string; readonly write: OpsWrite },
): Promise<OpsResult<OpsAnswers['erase']>> => {
  const target = `erased:${await store.hashOf(playerId)}`;
  return perform(audit, { actor, action: 'erase', target, write, body: {} }, async (tx) => {
    const erased = await store.erase(tx, playerId);
    if (!erased) return refuse('player/unknown', { playerId });
    const { removed, related, index } = erased;
    await inventory.erase?.(tx, [playerId]);
    return ok({
      before: undefined,
      after: { removed },
      answer: { removed, related },
      afterCommit: () => homes.erased(playerId, index),
    });
  });
};
