import type { HomeEvent } from '../../../shared/event.ts';
import { isA } from '../../../shared/game-code.ts';
import type { Home } from '../../../shared/home.ts';
import { refused } from '../../../shared/result.ts';
import { decide, type Judgement, judge, judgeSettled } from '../../domain/decide.ts';
import { fold } from '../../domain/evolve.ts';
import { faultRejection, ModuleFault } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import { openHome } from '../../domain/open-home.ts';
import type { HomeOrder } from '../model/homes.ts';
import type { UnsettledHome } from './settle-ahead.ts';

export type At = Pick<UnsettledHome, 'nowMs' | 'seed'>;

export interface Judged extends Judgement {
  /** The first events of a home that opens. */
  readonly opening: readonly HomeEvent[];
  /** Of a rule that the command did not need. */
  readonly fault?: ModuleFault;
}

/** Judges on a settled home. A home opens with its first accepted command; until then its first events are only shown. */
const judgeOpened = (modules: Modules, home: Home, { command, commandId }: HomeOrder, { nowMs, seed }: At): Judged => {
  const opening = openHome(modules, home, { nowMs, seed });
  const asked = { modules, command, commandId, nowMs, seed };
  if (opening.length === 0) return { opening, settled: [], ...judgeSettled({ ...asked, home }) };
  return { opening, ...judge({ ...asked, home: fold(modules, home, opening) }) };
};

/** If a rule fails that opens the home or renews its things, a command that needs no rule is done all the same. */
export const judgeAsPossible = (modules: Modules, home: Home, order: HomeOrder, at: At): Judged => {
  const alone = (fault: ModuleFault): Judged => ({ ...judgeUnsettled(modules, home, order, { fault, ...at }), fault });
  if (!mayBeAlone(home, order)) return judgeOpened(modules, home, order, at);
  try {
    const judged = judgeOpened(modules, home, order, at);
    return !judged.decision.ok && judged.decision.fault ? alone(judged.decision.fault) : judged;
  } catch (error) {
    if (isA(error, ModuleFault) && OPENING.includes(error.rule)) return alone(error);
    throw error;
  }
};

/** Rules that open a home. */
const OPENING: readonly string[] = ['starter', 'open'];

/** Commands of operators and of the game's own server that call no rule. */
const NEED_NO_RULE: readonly string[] = ['ops:freeze', 'ops:unfreeze', 'home:take'];

const mayBeAlone = ({ seq }: Home, { command }: HomeOrder): boolean => seq > 0 && NEED_NO_RULE.includes(command.type);

/** Judges without the rules of modules. */
export const judgeUnsettled = (
  modules: Modules,
  home: Home,
  order: HomeOrder,
  { fault, nowMs, seed }: At & { readonly fault: ModuleFault },
): Judged => {
  const decision = mayBeAlone(home, order)
    ? decide({ modules, home, ...order, nowMs, seed })
    : refused(faultRejection(fault));
  return { opening: [], settled: [], decision, home: decision.ok ? decision.home : home };
};
