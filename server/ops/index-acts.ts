import type { OpsAnswers, OpsDifferences, OpsIndex } from '../../shared/ops-answers.ts';
import type { OpsWrite } from '../../shared/ops-protocol.ts';
import { ok } from '../../shared/result.ts';
import type { IndexCare } from '../timer/index-care.ts';
import type { AuditStore } from './audit.ts';
import { perform } from './perform.ts';
import { type OpsResult, refuse } from './refusal.ts';

interface Dependencies {
  readonly index: IndexCare;
  readonly audit: AuditStore;
}

/** What operators ask of the due index. The audit says that it was asked for; to ask twice does no harm. */
export class OpsIndexActs {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async state(): Promise<OpsResult<OpsIndex>> {
    return ok(await this.#dependencies.index.state());
  }

  rebuild(actor: string, write: OpsWrite) {
    return this.#ask(actor, 'rebuild', write, {}, async (index) => {
      await index.rebuild();
      return undefined;
    });
  }

  /** Also answers what differed and was healed. */
  reconcile(actor: string, write: OpsWrite) {
    return this.#ask(actor, 'reconcile', write, {}, (index) => index.reconcile());
  }

  reshard(actor: string, { shards, ...write }: OpsWrite & { readonly shards: number }) {
    return this.#ask(actor, 'reshard', write, { shards }, async (index) => {
      await index.reshard(shards);
      return undefined;
    });
  }

  async #ask(
    actor: string,
    action: 'rebuild' | 'reconcile' | 'reshard',
    write: OpsWrite,
    body: object,
    act: (index: IndexCare) => Promise<OpsDifferences | undefined>,
  ): Promise<OpsResult<OpsAnswers['rebuild']>> {
    const { audit, index } = this.#dependencies;
    return perform(audit, { actor, action, target: 'index', write, body }, async () => {
      const before = await index.state();
      let found: OpsDifferences | undefined;
      try {
        if (write.dryRun !== true) found = await act(index);
      } catch (error) {
        if (error instanceof RangeError) return refuse('index/impossible', { why: error.message });
        throw error;
      }
      const after = await index.state();
      return ok({ before, after, answer: { ...after, ...(found === undefined ? {} : { found }) } });
    });
  }
}
