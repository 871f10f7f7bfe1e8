import { randomFrom } from '../shared/random-from.ts';

interface World {
  readonly atMs: number;
  readonly timeZone: string;
}

/**
 * Runs the work on another day, in another time zone and with other chance: the result of a rule that uses one of them
 * changes. Only for pure work, because other code that waits meanwhile would see that day too. In a worker thread the
 * zone stays: `process.env` is a copy there. So it does in a
 * formatter of `Intl` that was made before.
 */
export const inOtherWorld = <Value>({ atMs, timeZone }: World, work: () => Value): Value => {
  const { Date: realDate } = globalThis;
  const { TZ } = process.env;
  const { random } = Math;
  class OtherDate extends realDate {
    constructor(...given: readonly unknown[]) {
      super(...((given.length === 0 ? [atMs] : given) as [number]));
    }

    static override now(): number {
      return atMs;
    }

    /** Also of dates that the module made before. */
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof realDate;
    }
  }
  Object.assign(globalThis, { Date: OtherDate });
  Object.assign(Math, { random: randomFrom(atMs) });
  process.env.TZ = timeZone;
  try {
    return work();
  } finally {
    Object.assign(globalThis, { Date: realDate });
    Object.assign(Math, { random });
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
};
