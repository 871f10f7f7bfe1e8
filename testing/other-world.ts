/**
 * What the work returns where it is another day and chance falls otherwise: a rule that reads either gives itself away. For
 * pure work alone: what waits meanwhile would see that day too.
 */
export const inOtherWorld = <Value>(atMs: number, work: () => Value): Value => {
  const { Date: realDate } = globalThis;
  const { random } = Math;
  class OtherDate extends realDate {
    constructor(...given: readonly unknown[]) {
      super(...((given.length === 0 ? [atMs] : given) as [number]));
    }

    static override now(): number {
      return atMs;
    }
  }
  Object.assign(globalThis, { Date: OtherDate });
  Object.assign(Math, { random: () => (atMs % 97) / 97 });
  try {
    return work();
  } finally {
    Object.assign(globalThis, { Date: realDate });
    Object.assign(Math, { random });
  }
};
