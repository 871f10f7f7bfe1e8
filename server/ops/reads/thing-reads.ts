import type { OpsInput } from '../../../shared/ops/acts.ts';
import type { OpsAnswers } from '../../../shared/ops/ops-answers.ts';
import type { OpsModule } from '../../../shared/ops/ops-thing.ts';
import { ok } from '../../../shared/result.ts';
import { subjectOf } from '../../domain/due-of.ts';
import type { LoadedModule } from '../../domain/modules.ts';
import type { RulesInForce } from '../../home/model/rules-in-force.ts';
import type { TimerService } from '../../timer/timer-service.ts';
import { type Handles, type OpsResult, opsRefusal } from '../perform/ops-call.ts';
import { type Explained, explainThings, type Folding, type WholeLog } from './explain-thing.ts';

export interface WholeLogs {
  wholeLog(playerId: string): Promise<WholeLog>;
}

export interface ThingSources extends Folding {
  readonly reads: WholeLogs & { nowMs(): Promise<number> };
  readonly timers: Pick<TimerService, 'find'>;
}

/** Things of all modules, for operators. */
export const thingReads = {
  modules: async ({ rules: { inForce } }) => ok({ modules: inForce.current.all.map(showModule) }),
  explainThing: (on, { parts: { playerId }, input }) => explain(on, playerId, input),
} satisfies Handles<ThingSources & { readonly rules: { readonly inForce: RulesInForce } }>;

/**
 * Explains a due time, for page, CLI and API alike. Log and timer are two reads: where they differ, both are read once
 * more, since a change may lie between them.
 */
export const explain = async (
  sources: ThingSources,
  playerId: string,
  input: OpsInput<'explainThing'>,
): Promise<OpsResult<OpsAnswers['explainThing']>> => {
  const module = sources.modules.named(input.module);
  if (!module) return opsRefusal('module/unknown', { module: input.module });
  const wanted = { playerId, module, thing: input.thing, run: input.run };
  const first = await explainOnce(sources, wanted);
  const explained = first?.isConsistent === false ? await explainOnce(sources, wanted) : first;
  return explained ? ok(explained) : opsRefusal('thing/not-in-log', { playerId, ...input });
};

type Wanted = Omit<Explained, 'among'> & { readonly module: LoadedModule };

const explainOnce = async (
  on: ThingSources,
  { module, ...wanted }: Wanted,
): Promise<OpsAnswers['explainThing'] | undefined> => {
  const { reads, timers } = on;
  const { playerId, run } = wanted;
  const [log, nowMs] = await Promise.all([reads.wholeLog(playerId), reads.nowMs()]);
  const [explained] = await explainThings(on, { ...wanted, among: [module] }, log);
  if (!explained) return undefined;
  // The thing may have begun another run, to which its timer belongs.
  const isOver = run !== undefined && (explained.state === 'completed' || explained.state === 'stopped');
  const subject = subjectOf(playerId, explained.thing);
  const [timer] = isOver ? [] : await timers.find([{ kind: module.timerKind, subject }]);
  const timerDueAtMs = timer?.dueAtMs;
  return { ...explained, timerDueAtMs, isConsistent: explained.dueAtMs === timerDueAtMs, nowMs };
};

/** A module for operators. Its words name events as logs do. */
const showModule = ({ name, version, timerKind, items, eventPrefix, rules }: LoadedModule): OpsModule => ({
  name,
  version,
  kind: timerKind,
  items,
  canShift: rules.shift !== undefined,
  canStop: rules.stop !== undefined,
  words: Object.fromEntries(
    Object.entries(rules.words ?? {}).map(([language, { events = {}, ...words }]) => [
      language,
      { ...words, events: Object.fromEntries(Object.entries(events).map(([own, text]) => [eventPrefix + own, text])) },
    ]),
  ),
});
