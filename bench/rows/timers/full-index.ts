import type { Row } from '../../harness/row.ts';
import { fullIndexInOwnThread } from '../../processes/in-own-thread.ts';
import { MANY, MANY_TEXT } from '../../timers/due-times.ts';

const TEN = 'ten timers an owner';
const ONE = 'one timer an owner';

/** Whether timers in memory stall a process: by a growing map, or by objects that V8 must walk. */
export const fullIndex: Row = {
  name: 'full-index',
  about: `The index in memory with ${MANY_TEXT} timers pending: the longest of 6,000 steps in which 20 timers come, 20 move and 20 fall due; a full collection of garbage; memory a timer. Cascade: the step in which the wheel spreads its widest slot, which has almost half of all timers.`,
  rounds: 5,
  figures: [
    { name: 'longest', unit: 'ms' },
    { name: 'collection', unit: 'ms' },
    { name: 'bytes', unit: 'B' },
    { name: 'cascade', unit: 'ms' },
  ],
  targets: [
    { of: TEN, figure: 'longest', atMost: 12 },
    { of: TEN, figure: 'collection', atMost: 50 },
    { of: TEN, figure: 'bytes', atMost: 120 },
  ],
  prepare: async ({ isQuick }) => {
    const pending = isQuick ? MANY / 10 : MANY;
    const measure = (timersEach: number) => () => fullIndexInOwnThread({ pending, timersEach, steps: 6000 });
    return {
      contenders: [
        { name: TEN, measure: measure(10) },
        { name: ONE, measure: measure(1) },
      ],
      dispose: async () => undefined,
    };
  },
};
