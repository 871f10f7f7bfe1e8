import type { OpsModule, OpsThing } from '../../shared/ops/ops-thing.ts';
import { modules } from '../words/module-words.ts';
import { words } from '../words/words.ts';
import { type Act, actOn, tellReplied } from './act.ts';

interface Seen {
  readonly playerId: string;
  readonly thing: OpsThing;
  readonly nowMs: number;
}

/** What operators do to a thing that is due at some time: as far as its module offers it. */
export const thingActs = (seen: Seen): readonly Act[] => {
  const module = modules.value.find(({ name }) => name === seen.thing.module);
  return module === undefined || seen.thing.dueAtMs === undefined ? [] : actsOf(seen, module);
};

const actsOf = ({ playerId, thing, nowMs }: Seen, { canShift, canStop }: OpsModule): readonly Act[] => {
  const { module, id, title, run, dueAtMs } = thing;
  const on = {
    parts: { playerId },
    on: title === undefined ? run : `${title} · ${run}`,
    target: `player:${playerId}`,
    body: (values: object) => ({ ...values, module, thing: id, run }),
  };
  const shift = actOn({
    route: 'shift',
    ...on,
    words: words().acts.shift,
    fields: [{ type: 'shift', name: 'byMs', label: words().acts.shift.by }],
    tell: tellReplied(nowMs, dueAtMs),
  });
  const stop = actOn({
    route: 'stop',
    ...on,
    words: words().acts.stop,
    isDanger: true,
    isFinal: true,
    fields: [],
    tell: tellReplied(nowMs),
  });
  return [...(canShift ? [shift] : []), ...(canStop ? [stop] : [])];
};
