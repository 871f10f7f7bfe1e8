import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 500;
const LONGEST_WAIT_MS = 20_000;
const QUIET = 0.9;

/** Waits until the machine has next to nothing else to do; on one that is never quiet, not for ever. */
export const quietMachine = async (longestWaitMs = LONGEST_WAIT_MS): Promise<void> => {
  const giveUpAtMs = performance.now() + longestWaitMs;
  while ((await idleShare()) < QUIET && performance.now() < giveUpAtMs);
};

const idleShare = async (): Promise<number> => {
  const before = cpuMs();
  await sleep(LOOK_MS);
  const after = cpuMs();
  return (after.idle - before.idle) / (after.all - before.all);
};

const cpuMs = (): { idle: number; all: number } => {
  const times = os.cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, time) => sum + time.idle, 0);
  const all = times.reduce((sum, { user, nice, sys, irq, idle }) => sum + user + nice + sys + irq + idle, 0);
  return { idle, all };
};
