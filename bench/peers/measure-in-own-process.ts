import { fork } from 'node:child_process';
import path from 'node:path';
import { type Job, Measurement } from './measurement.ts';

const AT_MOST_MS = 180_000;

/** A fresh process, so that nobody inherits another's memory, connections or compiled code. Never throws. */
export const measureInOwnProcess = async (job: Job): Promise<Measurement> => {
  const { contender, pending, round } = job;
  const child = fork(path.join(import.meta.dirname, 'measure-one.ts'), [JSON.stringify(job)], {
    execArgv: [
      // Of products, not of ours.
      ...['--disable-warning=ExperimentalWarning', '--disable-warning=DeprecationWarning'],
      '--max-old-space-size=4096',
    ],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const giveUp = setTimeout(() => child.kill('SIGKILL'), AT_MOST_MS);
  let measurement: Measurement | undefined;
  child.on('message', (message) => {
    const { success, data } = Measurement.safeParse(message);
    if (success) measurement = data;
  });
  const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  clearTimeout(giveUp);
  const failed = `ended with ${signal ?? code} before it had measured`;
  return measurement ?? { contender, pending, round, settings: '', figures: {}, failed };
};
