import type { RegisteredKind } from '../../../server/timer/model/timer.ts';
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

/** Kinds that keep their rows as long as most do. */
export const kindsOf = (...names: readonly string[]): readonly RegisteredKind[] =>
  names.map((kind) => ({ kind, retentionMs: undefined }));
