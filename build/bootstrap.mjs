// Every npm script starts here: `node build/bootstrap.mjs <entry.ts> [args]`. A clone has no node_modules, and
// the system's Node may be too old to run TypeScript; this file repairs both and then starts the entry. It is plain
// JavaScript for Node 20 and uses no package, because it runs before there are any.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.kibble-install');
const lockFolder = path.join(root, '.kibble-install.lock');

/**
 * On a large machine V8 gives young objects 128 MB and collects old ones when there are four times as many: a flood would
 * leave a server with twice the memory that it needs. The same flags as in the Dockerfile.
 */
const nodeOptions = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32', '--heap-growing-percent=50'];

/** A lock that its owner has not touched for this long belongs to a dead process. */
const lockStaleMs = 15_000;
const lockTouchMs = 1_000;
const lockPollMs = 200;
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

async function installIfStale() {
  const wanted = hashOf(path.join(root, 'package-lock.json'));
  const isFresh = () => readOr(stampFile, '') === wanted;
  if (isFresh()) return;
  const unlock = await lock();
  try {
    if (isFresh()) return;
    if (!isInstalledByHand()) await install();
    writeFileSync(stampFile, wanted);
  } catch (error) {
    unlock();
    fail(`Kibble could not install its dependencies: ${error.message}`);
  }
  unlock();
}

/** An `npm ci` by hand counts: then npm's own record of node_modules agrees with package-lock.json. */
function isInstalledByHand() {
  const packagesIn = (file) => JSON.parse(readOr(file, '{}')).packages ?? {};
  const installed = packagesIn(path.join(modules, '.package-lock.json'));
  return Object.entries(packagesIn(path.join(root, 'package-lock.json'))).every(([name, wanted]) => {
    const isOptional = name === '' || wanted.optional || wanted.devOptional;
    return isOptional || installed[name]?.version === wanted.version;
  });
}

async function install() {
  const startedAtMs = Date.now();
  process.stderr.write('kibble: installing dependencies (once, less than a minute) ...');
  // Without install scripts no code of a dependency runs here; none needs such a script.
  const flags = [
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
  ];
  const { code, output } = await runNpm(['ci', ...flags]);
  process.stderr.write(code === 0 ? ` done in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n` : ' failed\n');
  // The first lines say why; npm goes on with pages of usage.
  if (code !== 0) throw new Error(`npm ci ended with ${code}\n${output.trim().split('\n').slice(0, 12).join('\n')}`);
}

function runNpm(npmArgs) {
  // Under npm its program is known; without npm it is on the PATH (on Windows as a script for a shell).
  const npmProgram = process.env.npm_execpath ?? '';
  const isNpm = /npm-cli\.c?js$/.test(npmProgram);
  const command = isNpm ? process.execPath : 'npm';
  const options = { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], shell: !isNpm && process.platform === 'win32' };
  return new Promise((resolve, reject) => {
    const child = spawn(command, isNpm ? [npmProgram, ...npmArgs] : npmArgs, options);
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(0, 10_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => reject(error.code === 'ENOENT' ? new Error('npm was not found on the PATH') : error));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * One installer at a time. The lock is a folder (made by one process only) that its owner touches regularly, so that
 * processes in other containers understand it too, and take over the lock of a killed owner.
 */
async function lock() {
  for (let isTold = false; ; ) {
    try {
      mkdirSync(lockFolder);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST')
        fail(`Kibble cannot write to its own folder ${root} (${error.code}). Make it writable for this user.`);
    }
    const touchedAtMs = statSync(lockFolder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - touchedAtMs > lockStaleMs) rmSync(lockFolder, { recursive: true, force: true });
    else {
      if (!isTold) process.stderr.write('kibble: another process installs, or was stopped while it did; waiting ...\n');
      isTold = true;
      await new Promise((resolve) => setTimeout(resolve, lockPollMs));
    }
  }
  const touch = setInterval(() => {
    try {
      // A process that took it for a dead one's may have removed it.
      mkdirSync(lockFolder, { recursive: true });
      utimesSync(lockFolder, new Date(), new Date());
    } catch {
      // The next touch makes it.
    }
  }, lockTouchMs);
  return () => {
    clearInterval(touch);
    rmSync(lockFolder, { recursive: true, force: true });
  };
}

/** The first Node that runs TypeScript: this one, or the one of the optional node-* packages. */
function findNode() {
  if (isAtLeast(process.versions.node, 22, 18)) return process.execPath;
  const bundled = path.join(modules, '.bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(bundled)) return bundled;
  const platform = `${process.platform}-${process.arch}`;
  return fail(
    `Kibble needs Node 22.18 or newer (this is ${process.versions.node}, and no Node comes with the packages for ${platform}). Install Node 24.`,
  );
}

function run(node, file, fileArgs, isNpmGone) {
  const child = spawn(node, [...nodeOptions, path.resolve(root, file), ...fileArgs], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
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

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function readOr(file, otherwise) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
