import type { OpsWrite } from '../../../shared/ops/acts.ts';
import type { OpsAnswers, OpsDifferences, OpsIndex } from '../../../shared/ops/ops-answers.ts';
import { OptionsRefused } from '../../../shared/options/options-refused.ts';
import { ok } from '../../../shared/result.ts';
import type { IndexCare } from '../../timer/index-care.ts';
import type { AuditStore } from '../perform/audit.ts';
import { type OpsOrder, perform } from '../perform/perform.ts';
import { type OpsResult, refuse } from '../perform/refusal.ts';

interface Dependencies {
  readonly index: IndexCare;
  readonly audit: AuditStore;
}

/** Returns what differed, where that was looked for. */
type Act = (index: IndexCare) => Promise<OpsDifferences | undefined>;

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
    const act: Act = (index) => index.rebuild().then(() => undefined);
    return this.#ask({ actor, action: 'rebuild', write, body: {} }, act);
  }

  /** Also returns what differed and was healed. */
  reconcile(actor: string, write: OpsWrite) {
    return this.#ask({ actor, action: 'reconcile', write, body: {} }, (index) => index.reconcile());
  }

  reshard(actor: string, { shards, ...write }: OpsWrite & { readonly shards: number }) {
    const act: Act = (index) => index.reshard(shards).then(() => undefined);
    return this.#ask({ actor, action: 'reshard', write, body: { shards } }, act);
  }

  async #ask(order: Omit<OpsOrder, 'target'>, act: Act): Promise<OpsResult<OpsAnswers['rebuild']>> {
    const { audit, index } = this.#dependencies;
    return perform(audit, { ...order, target: 'index' }, async () => {
      const before = await index.state();
      const acted = order.write.dryRun === true ? ok(undefined) : await acting(act, index);
      if (!acted.ok) return acted;
      const after = await index.state();
      const found = acted.value;
      return ok({ before, after, answer: { ...after, ...(found && { found }) } });
    });
  }
}

const acting = async (act: Act, index: IndexCare): Promise<OpsResult<OpsDifferences | undefined>> => {
  try {
    return ok(await act(index));
  } catch (error) {
    if (error instanceof OptionsRefused) return refuse('index/impossible', { why: whyOf(error) });
    throw error;
  }
};

const whyOf = ({ faults }: OptionsRefused): string => faults.map(({ what, remedy }) => `${what}: ${remedy}`).join(', ');
