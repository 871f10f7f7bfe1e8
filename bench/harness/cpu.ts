import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';

/** `/proc/<pid>/stat` counts hundredths of a second on every Linux. */
const TICK_MICROS = 10_000;
const isTold = existsSync('/proc/self/schedstat');

/** CPU time of a process since its start, with all threads; 0 if it just ended, NaN without `/proc`. */
export const cpuMicrosOf = (pid: number): number =>
  isTold
    ? globSync(`/proc/${pid}/task/*/schedstat`).reduce(
        (sum, file) => sum + Number(textOf(file).split(' ')[0]) / 1_000,
        0,
      )
    : Number.NaN;

/** The same for Postgres: its first process, its children, and those of them that ended, to a tick. */
export const postgresMicros = (postmaster: number): number => {
  if (!isTold) return Number.NaN;
  const sessions = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && statOf(pid).parent === postmaster);
  const ended = statOf(postmaster).endedTicks * TICK_MICROS;
  return [postmaster, ...sessions].reduce((sum, pid) => sum + cpuMicrosOf(pid), ended);
};

/** The parent process; 0 if unknown. */
export const parentOf = (pid: number): number => statOf(pid).parent;

const statOf = (pid: number): { readonly parent: number; readonly endedTicks: number } => {
  const text = textOf(`/proc/${pid}/stat`);
  // The name, in brackets, may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent = 0, user = 0, system = 0] = [1, 13, 14].map((at) => Number(fields[at] ?? 0));
  return { parent, endedTicks: user + system };
};

/** `0` for a process that just ended. */
const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '0';
  }
};
