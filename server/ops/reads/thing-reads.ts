import type { OpsInput } from '../../../shared/ops/acts.ts';
import type { OpsAnswers } from '../../../shared/ops/ops-answers.ts';
import { ok } from '../../../shared/result.ts';
import { subjectOf } from '../../domain/due-of.ts';
import type { Modules } from '../../domain/modules.ts';
import type { TimerService } from '../../timer/timer-service.ts';
import { type OpsResult, refuse } from '../perform/refusal.ts';
import { explainThing } from './explain-thing.ts';
import type { PlayerRows, TimerLists } from './ops-reads.ts';
import { showModule } from './show-module.ts';

interface Dependencies {
  readonly reads: Pick<TimerLists, 'nowMs'> & Pick<PlayerRows, 'wholeLog'>;
  readonly timers: Pick<TimerService, 'find'>;
  readonly modules: Modules;
}

/** Things of all modules as operators look at them. */
export class OpsThingReads {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async modules(): Promise<OpsResult<OpsAnswers['modules']>> {
    return ok({ modules: this.#dependencies.modules.all.map(showModule) });
  }

  /** The one explanation of why something is due then, for page, CLI and API. */
  async explain(playerId: string, input: OpsInput<'explainThing'>): Promise<OpsResult<OpsAnswers['explainThing']>> {
    const { reads, timers, modules } = this.#dependencies;
    const module = modules.named(input.module);
    if (!module) return refuse('module/unknown', { module: input.module });
    const { thing, run } = input;
    const [log, nowMs] = await Promise.all([reads.wholeLog(playerId), reads.nowMs()]);
    const explained = explainThing(modules, { playerId, module, thing, run }, log);
    if (!explained) return refuse('thing/not-in-log', { playerId, ...input });
    // The thing may be at something else by now, and the timer is of that.
    const isOver = run !== undefined && (explained.state === 'completed' || explained.state === 'stopped');
    const subject = subjectOf(playerId, explained.thing);
    const [timer] = isOver ? [] : await timers.find([{ kind: module.timerKind, subject }]);
    const timerDueAtMs = timer?.dueAtMs;
    return ok({ ...explained, timerDueAtMs, isConsistent: explained.dueAtMs === timerDueAtMs, nowMs });
  }
}
