import { spawn } from 'node:child_process';
import path from 'node:path';

/** What ends an embedded Postgres whose server was killed. */
export interface Keeper {
  /** Postgres was stopped in good order: there is nothing to end. */
  dismiss(): void;
}

/** Time for a person, or a supervisor, to start again on the Postgres that still runs. */
export const ABANDONED_AFTER_MS = 15_000;

/**
 * Starts a shell that waits for the end of this process, however it ends: the pipe between them closes then. After
 * `afterMs` it runs `stop-abandoned`, which leaves a Postgres alone that another server uses by then. While the server
 * lives this costs a sleeping shell.
 */
export const startKeeper = (dataDir: string, afterMs = ABANDONED_AFTER_MS): Keeper => {
  // Runs from the sources and from the built package alike.
  const program = path.join(import.meta.dirname, `stop-abandoned${path.extname(import.meta.filename)}`);
  const shell = spawn('/bin/sh', ['-c', WAIT_AND_STOP, process.execPath, String(afterMs / 1000), program, dataDir], {
    // In a group of its own: Ctrl-C, and the kill of a whole group, must not reach it.
    detached: true,
    // Not the folder that the server was started in: nobody could remove that any more.
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', NODE_NO_WARNINGS: '1' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell Postgres stays, as it did before there was a keeper: the next start goes on with it.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return {
    dismiss: () => {
      if (shell.pid !== undefined && shell.exitCode === null) killGroup(shell.pid);
    },
  };
};

/** `$0` is Node. */
const WAIT_AND_STOP = 'cat; sleep "$1"; exec "$0" "$2" "$3"';

const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
};
