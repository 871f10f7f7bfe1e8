import { isA } from '../../../shared/game-code.ts';
import type { Home } from '../../../shared/home.ts';
import { ModuleFault } from '../../domain/module-fault.ts';
import type { Modules } from '../../domain/modules.ts';
import { shownHome } from '../../domain/open-home.ts';
import type { Commit, Fault, HomeView } from '../model/homes.ts';
import { touchedThings } from '../model/touched.ts';

/** What came of the home as it was loaded. `after` may be as its player is shown it. */
export const commitOf = (
  before: Home,
  after: Home,
  told: Pick<Commit, 'events' | 'nowMs' | 'answers'>,
): Omit<Commit, 'fault'> => ({
  playerId: after.playerId,
  home: after,
  afterSeq: before.seq,
  touched: touchedThings(before, after),
  ...told,
});

export const faultOf = ({ module, thing = '' }: ModuleFault): Fault => ({ module, thing });

/** As its player is shown it; as it is, and why, where a rule of what the first command will bring fails. */
export const shownOrAsIs = (modules: Modules, home: Home, nowMs: number): { home: Home; fault?: ModuleFault } => {
  try {
    return { home: shownHome(modules, home, nowMs) };
  } catch (fault) {
    if (!isA(fault, ModuleFault)) throw fault;
    return { home, fault };
  }
};

/** The home as those see it who asked: settled, and whose rules stopped it, if any did. */
export const viewOf = (modules: Modules, commit: Commit, epoch: string): HomeView => ({
  home: shownOrAsIs(modules, commit.home, commit.nowMs).home,
  epoch,
  nowMs: commit.nowMs,
  ...(commit.fault && { fault: commit.fault }),
});
