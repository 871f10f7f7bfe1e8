import type { OpsModule } from '../../../shared/ops/ops-thing.ts';
import type { LoadedModule } from '../../domain/modules.ts';

/** A module as operators need to know it. Its words name events as logs do. */
export const showModule = ({ name, version, timerKind, items, eventPrefix, rules }: LoadedModule): OpsModule => ({
  name,
  version,
  kind: timerKind,
  items,
  canShift: rules.shift !== undefined,
  canStop: rules.stop !== undefined,
  words: Object.fromEntries(
    Object.entries(rules.words ?? {}).map(([language, { events = {}, ...words }]) => [
      language,
      { ...words, events: Object.fromEntries(Object.entries(events).map(([own, text]) => [eventPrefix + own, text])) },
    ]),
  ),
});
