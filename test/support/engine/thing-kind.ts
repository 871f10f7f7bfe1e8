import type { DerivedKind, SettledOwners } from '../../../server/timer/model/timer-kind.ts';

/** All owners were looked at, and nothing of theirs was moved in the look itself. */
export const SETTLED: SettledOwners = { unsettled: [], moved: new Set() };

/** The kind of a module's things, as the homes register it. */
export const thingKind = (kind: string, settle: DerivedKind['settle'] = async () => SETTLED): DerivedKind => ({
  kind,
  derived: true,
  module: `module-of-${kind}`,
  isRetired: false,
  settle,
});
