import { fork } from 'node:child_process';

interface ChildAnswer {
  /** The last that it sent; undefined when it sent nothing. */
  readonly message: unknown;
  /** Its exit code or the signal that ended it. */
  readonly end: string;
}

/** Runs a program in a fresh process, so that nobody inherits another's memory, connections or compiled code. Never throws. */
export const childMeasurement = async (program: string, job: object, atMostMs: number): Promise<ChildAnswer> => {
  const child = fork(program, [JSON.stringify(job)], {
    execArgv: [
      // Of products, not of ours.
      ...['--disable-warning=ExperimentalWarning', '--disable-warning=DeprecationWarning'],
      '--max-old-space-size=4096',
    ],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const giveUp = setTimeout(() => child.kill('SIGKILL'), atMostMs);
  let message: unknown;
  child.on('message', (sent) => {
    message = sent;
  });
  const end = await new Promise<string>((resolve) =>
    child.once('close', (code, signal) => resolve(String(signal ?? code))),
  );
  clearTimeout(giveUp);
  return { message, end };
};
