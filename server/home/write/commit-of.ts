import type { Home } from '../../../shared/home.ts';
import type { ModuleFault } from '../../domain/module-fault.ts';
import type { Commit, Fault } from '../model/homes.ts';
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
