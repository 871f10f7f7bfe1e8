import type { Guarded, Row, Target } from '../../harness/row.ts';
import { exerciseInOwnThread } from '../../processes/in-own-thread.ts';

const WHEEL = 'timing wheel';
const HEAP = 'binary heap';
/** The total number of timers for each operation. */
const OPERATIONS = { quick: 100_000, full: 400_000 };

/** Whether the wheel is worth its code. */
const wheelRow = (name: string, pending: number, targets: readonly Target[]): Row => ({
  name,
  about: `The timing wheel against a binary heap with ${pending.toLocaleString('en')} timers pending, due within 8 h: operations a second, and the memory of a timer beside its id and handle.`,
  rounds: 5,
  figures: [
    { name: 'insert', unit: '/s' },
    { name: 'move', unit: '/s' },
    { name: 'cancel', unit: '/s' },
    { name: 'fire', unit: '/s' },
    { name: 'bytes', unit: 'B' },
  ],
  targets,
  // With few pending timers the operations differ by less than the noise.
  ...(targets.length === 0 ? {} : { quick: { rounds: 3, guarded } }),
  prepare: async ({ isQuick }) => {
    const cycles = Math.ceil(OPERATIONS[isQuick ? 'quick' : 'full'] / (pending / 10));
    return {
      contenders: [
        { name: WHEEL, measure: () => exerciseInOwnThread({ queue: 'wheel', pending, cycles }) },
        { name: HEAP, measure: () => exerciseInOwnThread({ queue: 'heap', pending, cycles }) },
      ],
      dispose: async () => undefined,
    };
  },
});

const guarded: readonly Guarded[] = [
  ...['insert', 'move', 'cancel', 'fire'].map(
    (figure): Guarded => ({ of: WHEEL, figure, against: HEAP, better: 'more' }),
  ),
  { of: WHEEL, figure: 'bytes', better: 'less' },
];

/** The wheel is for many timers: with few, both are quick enough. */
const atOneMillion: readonly Target[] = [
  { of: WHEEL, figure: 'insert', against: HEAP, atLeast: 1 },
  { of: WHEEL, figure: 'move', against: HEAP, atLeast: 2 },
  { of: WHEEL, figure: 'cancel', against: HEAP, atLeast: 2 },
  { of: WHEEL, figure: 'fire', against: HEAP, atLeast: 2 },
  { of: WHEEL, figure: 'bytes', atMost: 120 },
];

export const wheelRows: readonly Row[] = [
  wheelRow('wheel-10k', 10_000, []),
  wheelRow('wheel-1m', 1_000_000, atOneMillion),
];
