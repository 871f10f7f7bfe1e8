import type { Clock } from '../runtime/clock.ts';
import type { EngineLog } from '../runtime/engine-log.ts';

/** A part that must end, with its name for the log. */
export type ShutdownPart = readonly [name: string, end: () => unknown];

interface Options {
  readonly clock: Pick<Clock, 'after'>;
  readonly log: EngineLog;
  /** The time for all parts together. */
  readonly boundMs: number;
}

/** The next part begins when the previous one has ended, or has taken so long. */
const PATIENCE_MS = 500;

/** Ends all parts in order, even if one hangs or throws, and logs those that exceed the bound. Never throws. */
export const endInOrder = async (all: readonly ShutdownPart[], { clock, log, boundMs }: Options): Promise<void> => {
  const left = new Set<string>();
  const over = Promise.withResolvers<void>();
  const cancel = clock.after(boundMs, over.resolve);
  const begin = async ([name, end]: ShutdownPart): Promise<void> => {
    left.add(name);
    try {
      await end();
    } catch (error) {
      log.error(
        { code: 'shutdown/failed', left: [name], err: error },
        'a part of the shutdown failed; the others go on',
      );
    }
    left.delete(name);
  };
  const begun: Promise<void>[] = [];
  for (const each of all) {
    const ended = begin(each);
    begun.push(ended);
    const patience = Promise.withResolvers<void>();
    const impatient = clock.after(PATIENCE_MS, patience.resolve);
    await Promise.race([ended, patience.promise, over.promise]);
    impatient();
  }
  await Promise.race([Promise.all(begun), over.promise]);
  cancel();
  if (left.size > 0) log.error({ code: 'shutdown/unfinished', left: [...left], boundMs }, UNFINISHED);
};

const UNFINISHED =
  'the shutdown goes on without what has not ended in time: what it had not committed is done at the next start';
