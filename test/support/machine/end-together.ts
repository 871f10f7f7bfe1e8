import type { ChildProcess } from 'node:child_process';

/**
 * Asked to end (SIGTERM), this process asks the child first, and ends by the same signal after it. Ctrl-C in a terminal needs
 * no such care: it reaches both.
 */
export const endTogether = (child: ChildProcess): void => {
  const passOn = (): void => {
    child.once('close', () => process.kill(process.pid, 'SIGTERM'));
    child.kill();
  };
  process.once('SIGTERM', passOn);
  child.once('close', () => process.off('SIGTERM', passOn));
};
