// Every npm script starts here: `node build/bootstrap.mjs <entry.ts> [args]`. A clone has no node_modules, and
// the system's Node may be too old to run TypeScript; this file repairs both and then starts the entry. It is plain
// JavaScript for Node 20 and uses no package, because it runs before there are any.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fail, installIfStale, modules, readOr, root, signals } from './install.mjs';

/**
 * On a large machine V8 gives young objects 128 MB and collects old ones when there are four times as many: a flood would
 * leave a server with twice the memory that it needs. The same flags as in the Dockerfile.
 */
const nodeOptions = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32', '--heap-growing-percent=50'];

const parentPollMs = 500;

const [entry, ...args] = process.argv.slice(2);
if (!isAtLeast(process.versions.node, 20, 0)) {
  fail(
    `Kibble needs Node 20 or newer to start (this is ${process.versions.node}). Install a current Node and try again.`,
  );
} else if (!entry) {
  fail('Usage: node build/bootstrap.mjs <entry.ts> [args]');
} else {
  const isNpmGone = watchNpm();
  await installIfStale();
  // If npm was stopped meanwhile, no server is wanted.
  if (isNpmGone()) process.exit(1);
  run(findNode(), entry, args, isNpmGone);
}

/** The first Node that runs TypeScript: this one, or the one of the optional node-* packages. */
function findNode() {
  const { node } = process.versions;
  // Of Node 23 the first releases do not.
  const isEarly23 = isAtLeast(node, 23, 0) && !isAtLeast(node, 23, 6);
  if (isAtLeast(node, 22, 18) && !isEarly23) return process.execPath;
  // In its package: below .bin Windows has a script instead, and with bin-links=false there is nothing.
  const isWindows = process.platform === 'win32';
  const folder = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  const bundled = path.join(modules, folder, 'bin', isWindows ? 'node.exe' : 'node');
  if (existsSync(bundled)) return bundled;
  const platform = `${process.platform}-${process.arch}`;
  return fail(
    `Kibble needs Node 22.18, or 23.6 and newer (this is ${process.versions.node}, and no Node comes with the packages for ${platform}). Install Node 24.`,
  );
}

function run(node, file, fileArgs, isNpmGone) {
  const child = spawn(node, [...nodeOptions, path.resolve(root, file), ...fileArgs], {
    stdio: 'inherit',
  });
  for (const signal of signals) {
    process.on(signal, () => {
      // Ctrl-C in a terminal reaches the whole group, so the child already has it.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  endWithNpm(child, isNpmGone);
  child.on('error', (error) => fail(`Kibble could not start ${node}: ${error.message}`));
  child.on('close', (code, signal) => process.exit(code ?? 128 + (os.constants.signals[signal] ?? 0)));
}

/**
 * After `kill -9` of npm no process would signal this one any more, nor the shell between them if there is one. So it
 * checks whether they live. Only under npm: without it this process may outlive the shell that started it.
 */
function endWithNpm(child, isNpmGone) {
  const look = setInterval(() => {
    if (!isNpmGone()) return;
    clearInterval(look);
    child.kill('SIGTERM');
  }, parentPollMs);
  look.unref();
}

/** Returns a function: has the npm that ran this process ended since? Always false without npm. */
function watchNpm() {
  if (!process.env.npm_lifecycle_event) return () => false;
  const parent = process.ppid;
  const npm = npmBehind(parent);
  return () => process.ppid !== parent || (npm !== undefined && !isAlive(npm));
}

/** The parent of npm's shell; undefined if this process is npm's own child, or if that is unknown. */
function npmBehind(shell) {
  const script = process.env.npm_lifecycle_script;
  const [, parent, command = ''] = /^\s*(\d+) (.*)$/s.exec(describe(shell)) ?? [];
  return script && command.includes(` -c ${script}`) ? Number(parent) : undefined;
}

/** A process's parent and its command line. Slim images have no `ps`. */
function describe(pid) {
  if (process.platform !== 'linux') return spawnSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)]).stdout?.toString();
  const [, parent] = /.*\) \S (\d+) /s.exec(readOr(`/proc/${pid}/stat`, '')) ?? [];
  return `${parent} ${readOr(`/proc/${pid}/cmdline`, '').replaceAll('\0', ' ')}`;
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function isAtLeast(version, major, minor) {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
