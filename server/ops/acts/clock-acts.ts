import type { OpsWrite } from '../../../shared/ops/acts.ts';
import type { OpsAnswers, OpsClock } from '../../../shared/ops/ops-answers.ts';
import { ok } from '../../../shared/result.ts';
import type { ClockCare } from '../../timer/clock/clock-watch.ts';
import type { AuditStore } from '../perform/audit.ts';
import { perform } from '../perform/perform.ts';
import type { OpsResult } from '../perform/refusal.ts';

interface Dependencies {
  readonly clock: ClockCare;
  readonly audit: AuditStore;
}

/** What operators ask of the database's clock (ADR 70). */
export class OpsClockActs {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async state(): Promise<OpsResult<OpsClock>> {
    return ok(this.#dependencies.clock.state());
  }

  /** Also where this process holds no time: another one may. To accept twice does no harm. */
  accept(actor: string, write: OpsWrite): Promise<OpsResult<OpsAnswers['acceptClock']>> {
    const { audit, clock } = this.#dependencies;
    return perform(audit, { actor, action: 'accept', target: 'clock', write, body: {} }, async () => {
      const before = clock.state();
      if (write.dryRun !== true) await clock.accept();
      const after = clock.state();
      return ok({ before, after, answer: { before, after } });
    });
  }
}
