// Installs the packages of a clone. Plain JavaScript for Node 20 without a package, as bootstrap.mjs.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.kibble-install');
const lockFolder = path.join(root, '.kibble-install.lock');
export const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A lock that its owner has not touched for this long belongs to a dead process. */
const lockStaleMs = 15_000;
const lockTouchMs = 1_000;
const lockPollMs = 200;
/** An install that takes longer waits for its registry. */
const slowInstallMs = 60_000;

/** Once for each package-lock.json. */
export async function installIfStale() {
  // No new install: a server of the other system may use the folder.
  const foreign = foreignPackage();
  if (foreign !== undefined) {
    const own = `${process.platform}-${process.arch}`;
    fail(
      `The folder node_modules was installed on another platform (it has ${foreign}; this is ${own}). Give this machine a clone of its own, or remove node_modules and start again.`,
    );
  }
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
  const installed = installedPackages();
  const { packages = {} } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages).every(([name, wanted]) => {
    // Such a package may be missing, but not have another version.
    const mayLack = name === '' || wanted.optional || wanted.devOptional;
    return installed[name]?.version === wanted.version || (mayLack && installed[name] === undefined);
  });
}

/** npm's own record of node_modules; empty if it cannot be read. */
function installedPackages() {
  try {
    return JSON.parse(readFileSync(path.join(modules, '.package-lock.json'), 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}

/** A package for another platform: the folder is shared between two systems, or was copied. */
function foreignPackage() {
  const fits = (list, own) => {
    const all = [list ?? []].flat();
    const allowed = all.filter((one) => !one.startsWith('!'));
    return !all.includes(`!${own}`) && (allowed.length === 0 || allowed.includes(own));
  };
  const isForeign = ({ os: systems, cpu }) => !fits(systems, process.platform) || !fits(cpu, process.arch);
  return Object.entries(installedPackages()).find(([, wanted]) => isForeign(wanted))?.[0];
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
  const told = setTimeout(() => {
    const why = 'if its registry does not answer (no network, a proxy), npm gives up after some minutes';
    process.stderr.write(`\nkibble: still installing; ${why} ...`);
  }, slowInstallMs);
  const { code, output, stoppedBy } = await runNpm(['ci', ...flags]).finally(() => clearTimeout(told));
  if (stoppedBy) throw new Error(`stopped by ${stoppedBy}; the next start installs them`);
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
    // An npm that outlived this process would still write while the next start installs.
    let stoppedBy;
    const passOn = (signal) => {
      stoppedBy = signal;
      child.kill(signal);
    };
    for (const signal of signals) process.on(signal, passOn);
    child.on('close', (code) => {
      for (const signal of signals) process.off(signal, passOn);
      resolve({ code: code ?? 1, output, stoppedBy });
    });
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

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

export function readOr(file, otherwise) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}

export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
