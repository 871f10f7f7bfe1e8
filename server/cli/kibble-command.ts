#!/usr/bin/env node
// The command `kibble` with its dependencies. Most commands ask a running server; some use the database directly.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { random } from '../adapter/machine/random.ts';
import { systemClock } from '../adapter/machine/system-clock.ts';
import { type CommandSettings, readCommandSettings } from '../settings/config.ts';
import { explainFailure } from '../wiring/explain-start.ts';
import type { Defaults } from './console/context.ts';
import { plainly, type Terminal } from './console/terminal.ts';
import { runProgram } from './program.ts';

const interrupted = new AbortController();

const terminal: Terminal = {
  say: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
  rewrite: (line) => process.stderr.write(`\r\u001b[K${line}`),
  isForReader: process.stderr.isTTY === true,
  canAsk: process.stdin.isTTY === true && process.stderr.isTTY === true,
  ask: async (question) => {
    const reader = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await reader.question(question, { signal: interrupted.signal });
    } finally {
      reader.close();
    }
  },
  monotonicMs: () => systemClock.monotonicMs(),
  pause: (ms) =>
    new Promise((resolve) => {
      const end = (): void => {
        cancel();
        interrupted.signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = systemClock.after(ms, end);
      interrupted.signal.addEventListener('abort', end);
    }),
  signal: interrupted.signal,
  uniqueName: random.uniqueName,
};

/** Address and token that a server with its own database wrote into its data folder. */
const defaultsOf = ({ url, token, dataDir }: CommandSettings): Defaults => {
  const kept = (name: string): string | undefined => {
    const file = path.join(dataDir, name);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  };
  const own = url ?? kept('address');
  return { url: own, token, keptToken: url === undefined ? kept('operator-token') : undefined };
};

const versionOf = (): string => {
  const manifest = path.join(import.meta.dirname, '../../package.json');
  return String(JSON.parse(readFileSync(manifest, 'utf8')).version);
};

// In `kibble ... | head` the reader closes the pipe. The command then ends, as other commands do, with 141 (SIGPIPE).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(141);
});
// The first signal ends the command in good order, the second ends the process.
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

process.exitCode = await runProgram(process.argv.slice(2), {
  terminal,
  defaults: () => defaultsOf(readCommandSettings()),
  // Loaded on demand, because only some commands need it.
  openDatabase: async () => (await import('./open-database.ts')).openDatabase(readCommandSettings(), plainly(terminal)),
  startDevDatabase: async ({ dataDir = readCommandSettings().dataDir, ...options }) => {
    const { startForGame } = await import('../adapter/embedded-postgres/game-postgres.ts');
    const lost = Promise.withResolvers<unknown>();
    const postgres = await startForGame({ ...options, dataDir, onLost: lost.resolve });
    return { ...postgres, lost: lost.promise };
  },
  version: versionOf(),
  explain: explainFailure,
});
