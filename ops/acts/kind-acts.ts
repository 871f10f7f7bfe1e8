import type { OpsKind } from '../../shared/ops/ops-timer.ts';
import { words } from '../words/words.ts';
import { type Act, actOn } from './act.ts';

/** What operators do to all timers of a kind. */
export const kindActs = ({ kind, isPaused }: OpsKind): readonly Act[] => {
  const route = isPaused ? 'resumeKind' : 'pauseKind';
  return [
    actOn({
      route,
      parts: { kind },
      on: kind,
      target: `timers:${kind}`,
      words: words().acts[route],
      isDanger: !isPaused,
      fields: [],
      tell: (after) => [words().overview[after.isPaused ? 'paused' : 'fires']],
    }),
  ];
};
