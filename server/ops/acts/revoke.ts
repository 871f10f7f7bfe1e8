import type { OpsInput, OpsWrite } from '../../../shared/ops/acts.ts';
import type { OpsAnswers } from '../../../shared/ops/ops-answers.ts';
import { ok } from '../../../shared/result.ts';
import { playerKey, tokenKey } from '../../home/revocations.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import { type AuditStore, playerTarget } from '../perform/audit.ts';
import { perform } from '../perform/perform.ts';
import type { OpsResult } from '../perform/refusal.ts';

export interface RevokeOrder {
  readonly key: string;
  /** Default: now. */
  readonly issuedUntilMs?: number;
  /** When it can be forgotten. Default: never. */
  readonly endsAtMs?: number | undefined;
}

export interface RevokeStore {
  /** Returns when it was done. Tokens that have expired are deleted in passing. */
  revoke(tx: Tx, order: RevokeOrder): Promise<number>;
}

interface Dependencies {
  readonly audit: AuditStore;
  readonly store: RevokeStore;
}

/** Ends tokens before their time. A home is not asked for: who has a token need not have one yet. */
export class OpsRevocations {
  readonly #audit: AuditStore;
  readonly #store: RevokeStore;

  constructor({ audit, store }: Dependencies) {
    this.#audit = audit;
    this.#store = store;
  }

  /** All tokens of the player that were issued until now. */
  ofPlayer(actor: string, playerId: string, write: OpsWrite): Promise<OpsResult<OpsAnswers['revokeTokens']>> {
    return this.#revoke({ actor, target: playerTarget(playerId), write, body: {} }, { key: playerKey(playerId) });
  }

  one(actor: string, input: OpsInput<'revokeToken'>): Promise<OpsResult<OpsAnswers['revokeToken']>> {
    const { tokenId, endsAtMs, ...write } = input;
    const key = tokenKey(tokenId);
    const body = { tokenId, endsAtMs };
    return this.#revoke({ actor, target: key, write, body }, { key, endsAtMs, issuedUntilMs: Number.MAX_SAFE_INTEGER });
  }

  #revoke(
    order: { readonly actor: string; readonly target: string; readonly write: OpsWrite; readonly body: object },
    what: RevokeOrder,
  ): Promise<OpsResult<OpsAnswers['revokeToken']>> {
    return perform(this.#audit, { ...order, action: 'revoke' }, async (tx) => {
      const revokedAtMs = await this.#store.revoke(tx, what);
      return ok({ before: undefined, after: { revokedAtMs }, answer: { revokedAtMs } });
    });
  }
}
