import { isA } from '../../shared/game-code.ts';
import type { Refusal } from '../../shared/module/module.ts';
import { type Rejection, reject } from '../../shared/protocol.ts';
import { refused } from '../../shared/result.ts';
import { decided, draftLogOf, Impossible } from './draft.ts';
import { ModuleFault, ruled } from './module-fault.ts';
import type { LooseDraft, OfModule } from './modules.ts';
import { type Case, type Decision, isRefusal } from './scene.ts';

/** The events of a rule, or its refusal. Items that aren't there are refused for the rule. */
export const written = (
  { modules, home, commandId, nowMs }: Omit<Case, 'command'>,
  { module, own: rule }: OfModule,
  call: () => readonly LooseDraft[] | Refusal | undefined,
): Decision =>
  drafted(() => {
    const answer = call() ?? [];
    if (isRefusal(answer)) return refused(reject(answer.code, answer.params));
    if (answer.length === 0)
      throw new ModuleFault({ module: module.name, rule }, 'it returns neither event nor refusal');
    const draft = draftLogOf(modules, home, commandId);
    ruled({ module: module.name, rule }, () => draft.addOf(nowMs, { module, rule }, answer));
    return decided(draft);
  });

/** What is decided by writing events: refused where they are impossible, or a rule failed. */
export const drafted = (write: () => Decision): Decision => {
  try {
    return write();
  } catch (error) {
    return refusalOf(error);
  }
};

/** For a rule that failed; throws what is none. */
const refusalOf = (error: unknown): Decision => {
  const cause = error instanceof ModuleFault ? error.thrown : error;
  if (isA(cause, Impossible)) return refused(reject(cause.code, cause.params));
  if (error instanceof ModuleFault) return { ...refused(faultRejection(error)), fault: error };
  throw error;
};

export const faultRejection = ({ module, thing }: ModuleFault): Rejection =>
  reject('module/fault', { module, ...(thing !== undefined && { thing }) });
