import { restate } from '../../../shared/work.ts';
import type { ThingMood } from '../../look/art/thing-mood.ts';
import type { TownThing } from '../game/modules.ts';

export interface ThingView {
  readonly mood: ThingMood;
  /** Until the due time; 0 if it does not run. */
  readonly leftMs: number;
  /** Share of the work that is done, 0 to 1. */
  readonly done: number;
  /** The rest of the running boost; 0: none. */
  readonly boostLeftMs: number;
}

/** A thing's state at `nowMs` of the server's time. The page itself never ends a run. */
export const viewOf = ({ dueAt, state: { task, boost, held } }: TownThing, nowMs: number): ThingView => {
  const boostLeftMs = Math.max(0, (boost?.endsAtMs ?? 0) - nowMs);
  if (task?.state !== 'runs') {
    return { mood: task?.state ?? (held ? 'holds' : 'rests'), leftMs: 0, done: 0, boostLeftMs };
  }
  const { leftMs } = restate(task.work, boost, Math.max(nowMs, task.work.sinceAtMs));
  return {
    mood: 'runs',
    leftMs: Math.max(0, dueAt - nowMs),
    done: Math.min(1, Math.max(0, 1 - leftMs / task.order.workMs)),
    boostLeftMs,
  };
};
