import type { OpsAnswers } from '../../../shared/ops/ops-answers.ts';
import { ok } from '../../../shared/result.ts';
import type { KindStore } from '../../timer/model/timer-store.ts';
import type { AuditStore } from '../perform/audit.ts';
import type { OpsCall } from '../perform/ops-call.ts';
import { perform } from '../perform/perform.ts';
import { type OpsResult, refuse } from '../perform/refusal.ts';

export type PausedKinds = Pick<KindStore, 'registeredKinds' | 'pausedKinds' | 'setPaused'>;

interface Dependencies {
  readonly kinds: PausedKinds;
  readonly audit: AuditStore;
}

/** What operators do to all timers of a kind. All processes know within a second. */
export class OpsKinds {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  setPaused(
    { operator, parts, input }: OpsCall<'pauseKind' | 'resumeKind'>,
    isPaused: boolean,
  ): Promise<OpsResult<OpsAnswers['pauseKind']>> {
    const { kinds, audit } = this.#dependencies;
    const { kind } = parts;
    const action = isPaused ? 'pause' : 'resume';
    const order = { actor: operator.name, action, target: `timers:${kind}`, write: input, body: {} };
    return perform(audit, order, async (tx) => {
      if (!(await kinds.registeredKinds(tx)).has(kind)) return refuse('kind/unknown', { kind });
      const before = { kind, isPaused: (await kinds.pausedKinds(tx)).has(kind) };
      await kinds.setPaused(kind, isPaused, tx);
      const after = { kind, isPaused };
      return ok({ before, after, answer: after });
    });
  }
}
