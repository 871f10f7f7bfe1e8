import type { Modules } from '../../domain/modules.ts';
import { shownHome } from '../../domain/open-home.ts';
import type { HomeView } from '../model/homes.ts';
import type { JudgedHome } from './batch.ts';

/** The home as those see it who asked: settled, and whose rules stopped it, if any did. */
export const viewOf = (modules: Modules, { commit }: JudgedHome, epoch: string): HomeView => ({
  home: shownHome(modules, commit.home, commit.nowMs),
  epoch,
  nowMs: commit.nowMs,
  ...(commit.fault && { fault: commit.fault }),
});
