import type { NewTimer } from '../model/timer-changes.ts';
import type { TimerKinds } from '../model/timer-kinds.ts';
import { TimerRefused } from '../model/timer-refused.ts';

export interface KindLook {
  readonly kinds: TimerKinds;
  /** Reads which kinds any process ever registered. */
  readonly registered: () => Promise<ReadonlySet<string>>;
}

/**
 * Throws `TimerRefused` for a timer that nobody could ever fire. What is not known here is looked up first: another
 * process may have registered it a moment ago.
 */
export const checkKinds = async (timers: readonly NewTimer[], { kinds, registered }: KindLook): Promise<void> => {
  const unknown = (): string | undefined => timers.find(({ kind }) => !kinds.isKnown(kind))?.kind;
  if (unknown() === undefined) return;
  kinds.setRegistered(await registered());
  const kind = unknown();
  if (kind === undefined) return;
  const remedy = 'register it in a process that fires, and boot that first; or mend the name';
  throw new TimerRefused('kind/unknown', `no process ever registered the kind of timers ${kind}: ${remedy}`);
};
