import type { RegisteredKind } from '../../../server/timer/model/timer.ts';

/** Kinds that keep their rows as long as most do. */
export const kindsOf = (...names: readonly string[]): readonly RegisteredKind[] =>
  names.map((kind) => ({ kind, retentionMs: undefined }));
