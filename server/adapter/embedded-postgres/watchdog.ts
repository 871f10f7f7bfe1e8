import { spawn } from 'node:child_process';
import path from 'node:path';

/** Ends an embedded Postgres after its server was killed. */
export interface Watchdog {
  /** Call it after Postgres was stopped in good order. */
  dismiss(): void;
}

/** The time in which an operator or a supervisor can start again on the running Postgres. */
export const ABANDONED_AFTER_MS = 15_000;

/**
 * Starts a shell that waits for the end of this process, however it ends: then the pipe between them closes. After
 * `afterMs` it runs `stop-abandoned`, which does nothing if another server uses the Postgres by then. While the server
 * lives, the only cost is a sleeping shell.
 */
export const startWatchdog = (dataDir: string, afterMs = ABANDONED_AFTER_MS): Watchdog => {
  // Works from the sources and from the built package.
  const program = path.join(import.meta.dirname, `stop-abandoned${path.extname(import.meta.filename)}`);
  const shell = spawn('/bin/sh', ['-c', WAIT_AND_STOP, process.execPath, String(afterMs / 1000), program, dataDir], {
    // Its own group: Ctrl-C, and the kill of a whole group, must not reach it.
    detached: true,
    // Not the folder of the server, which could otherwise not be removed any more.
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', NODE_NO_WARNINGS: '1' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell Postgres goes on running, and the next start uses it.
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
    // The group has already ended.
  }
};
