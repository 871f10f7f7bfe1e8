import type { OpsAnswers } from '../../../shared/ops/ops-answers.ts';
import { ok } from '../../../shared/result.ts';
import { playerKey, tokenKey } from '../../home/revocations.ts';
import type { Tx } from '../../timer/model/timer-store.ts';
import type { Handles, OpsResult } from '../perform/ops-call.ts';
import { type AuditStore, type OpsOrder, perform, playerTarget } from '../perform/perform.ts';

export interface RevokeOrder {
  readonly key: string;
  /** Default: now. */
  readonly issuedUntilMs?: number;
  /** When the token expires, and the revocation can be deleted unless a renewal may live. Default: never. */
  readonly endsAtMs?: number | undefined;
}

export interface RevokeStore {
  /** Revokes, and returns the time. Also deletes revocations of tokens that have expired, with all renewals. */
  revoke(tx: Tx, order: RevokeOrder): Promise<number>;
}

interface Dependencies {
  readonly audit: AuditStore;
  readonly revocations: RevokeStore;
}

/** Revokes tokens before they expire. The player need not have a home yet. */
export const revokeActs = {
  revokeTokens: (on, { operator, parts: { playerId }, input: write }) => {
    const order = { actor: operator.name, target: playerTarget(playerId), write, body: {} };
    return revoke(on, order, { key: playerKey(playerId) });
  },

  revokeToken: (on, { operator, input: { tokenId, endsAtMs, ...write } }) => {
    const key = tokenKey(tokenId);
    const order = { actor: operator.name, target: key, write, body: { tokenId, endsAtMs } };
    return revoke(on, order, { key, endsAtMs, issuedUntilMs: Number.MAX_SAFE_INTEGER });
  },
} satisfies Handles<Dependencies>;

const revoke = (
  { audit, revocations }: Dependencies,
  order: Omit<OpsOrder, 'action'>,
  what: RevokeOrder,
): Promise<OpsResult<OpsAnswers['revokeToken']>> =>
  perform(audit, { ...order, action: 'revoke' }, async (tx) => {
    const revokedAtMs = await revocations.revoke(tx, what);
    return ok({ before: undefined, after: { revokedAtMs }, answer: { revokedAtMs } });
  });
