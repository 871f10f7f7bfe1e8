import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Contender, Row } from './row.ts';

const POLL_MS = 500;
const LONGEST_WAIT_MS = 20_000;
const QUIET = 0.9;

/** Waits until the machine has almost no other work; on a busy machine not forever. */
export const quietMachine = async (longestWaitMs = LONGEST_WAIT_MS): Promise<void> => {
  const giveUpAtMs = performance.now() + longestWaitMs;
  while ((await idleShare()) < QUIET && performance.now() < giveUpAtMs);
};

const idleShare = async (): Promise<number> => {
  const before = cpuMs();
  await sleep(POLL_MS);
  const after = cpuMs();
  return (after.idle - before.idle) / (after.all - before.all);
};

const cpuMs = (): { idle: number; all: number } => {
  const times = os.cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, time) => sum + time.idle, 0);
  const all = times.reduce((sum, { user, nice, sys, irq, idle }) => sum + user + nice + sys + irq + idle, 0);
  return { idle, all };
};

/** Contender -> figure -> one value a round. */
export type Samples = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;

interface RoundsOptions {
  /** How long to wait for a quiet machine before each measurement. */
  readonly longestWaitMs?: number | undefined;
  readonly onMeasured: (contender: string, round: number) => void;
}

/**
 * Measures all contenders once a round. Each round begins with another contender, so that the machine's other work and
 * the order affect all of them alike.
 */
const runRounds = async (
  contenders: readonly Contender[],
  rounds: number,
  { longestWaitMs, onMeasured }: RoundsOptions,
): Promise<Samples> => {
  const samples: Record<string, Record<string, number[]>> = {};
  for (const { name } of contenders) samples[name] = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, measure } of rotated(contenders, round)) {
      await quietMachine(longestWaitMs);
      onMeasured(name, round);
      for (const [figure, value] of Object.entries(await measure())) {
        const own = samples[name] ?? {};
        own[figure] = [...(own[figure] ?? []), value];
      }
    }
  }
  return samples;
};

const rotated = <Item>(items: readonly Item[], by: number): readonly Item[] => {
  const first = by % Math.max(1, items.length);
  return [...items.slice(first), ...items.slice(0, first)];
};

interface Measuring extends Bench {
  readonly rounds: number;
  /** For a quiet machine, before each measurement; default 20 s. */
  readonly longestWaitMs?: number;
  readonly say: (text: string) => void;
}

/** Prepares a row, measures it and cleans up. Undefined: its subject does not exist here. */
export const measureRow = async (
  row: Row,
  { rounds, longestWaitMs, say, ...bench }: Measuring,
): Promise<Samples | undefined> => {
  const prepared = await row.prepare(bench);
  if (prepared === undefined) {
    say(`\n${row.name}: left out, what it measures is not there`);
    return undefined;
  }
  const onMeasured = (contender: string, round: number): void =>
    say(`  ${row.name} · round ${round + 1} of ${rounds} · ${contender}`);
  try {
    return await runRounds(prepared.contenders, rounds, { longestWaitMs, onMeasured });
  } finally {
    await prepared.dispose?.();
    await bench.stores.drop();
  }
};
