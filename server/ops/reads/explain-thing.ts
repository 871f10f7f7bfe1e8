import type { OpsExplanation } from '../../../shared/ops/ops-explanation.ts';
import { dueOf, runNamed, runOf, waitingOf } from '../../domain/due-of.ts';
import type { LoadedModule, Modules } from '../../domain/modules.ts';
import { livesOf, type Span, thingOf, type WholeLog } from './spans-of.ts';

/** What is to be explained: a thing as it is now, or a run, also one that has ended. */
export interface Explained {
  readonly playerId: string;
  readonly module: LoadedModule;
  readonly thing?: string | undefined;
  readonly run?: string | undefined;
}

type Ledger = Omit<OpsExplanation, 'timerDueAtMs' | 'isConsistent' | 'nowMs'>;

/**
 * Why a thing is due when it is: every entry of the log that has to do with it since it last rested, what each did to
 * the due time, and with which numbers. Undefined when the log knows no such thing, or no such run.
 */
export const explainThing = (modules: Modules, wanted: Explained, log: WholeLog): Ledger | undefined => {
  const { playerId, module } = wanted;
  const { spans, known, home } = livesOf(modules, module, playerId, log);
  const span = spans.findLast((one) => isWanted(one, wanted));
  const id = span?.thing ?? wanted.thing;
  if (id === undefined || !known.has(id) || (!span && wanted.run !== undefined)) return undefined;
  const thing = thingOf(home, module.name, id);
  const isNow = thing !== undefined && span?.end === undefined;
  const dueAtMs = isNow ? dueOf(module, id, thing) : undefined;
  const waitingSinceMs = isNow ? waitingOf(module, id, thing) : undefined;
  return {
    playerId,
    module: module.name,
    thing: id,
    title: thing && module.rules.title?.(thing, id),
    run:
      (isNow ? undefined : [...(span?.runs ?? [])].at(-1)) ??
      runOf(module, playerId, { id, thing: thing ?? module.initial }),
    state: span?.end ?? (dueAtMs !== undefined ? 'running' : waitingSinceMs !== undefined ? 'waiting' : 'resting'),
    dueAtMs,
    waitingSinceMs,
    isCut: span?.steps[0]?.type === 'kept',
    steps: span?.steps ?? [],
  };
};

/** A run has the player before it where operators read it, and not in the event. */
const isWanted = ({ thing, runs }: Span, { playerId, module, ...wanted }: Explained): boolean =>
  (wanted.thing === undefined || thing === wanted.thing) &&
  (wanted.run === undefined || runs.has(wanted.run) || runs.has(runNamed(module, playerId, wanted.run)));
