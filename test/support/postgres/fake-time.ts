import { chmodSync, copyFileSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { cleanEnvironment } from '../../../server/adapter/embedded-postgres/embedded-cluster.ts';
import { fetchPackages } from '../machine/debian-release.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

const cacheDir = path.resolve(import.meta.dirname, '../../../node_modules/.cache/kibble/faketime');

/** The library that gives a program another clock: the system's, or fetched once. Undefined, and said why, where there is none. */
export const fakeTimeLibrary = (): string | undefined => {
  const found = (): string | undefined => [cacheDir, '/'].flatMap(libraryIn)[0];
  const present = found();
  if (present !== undefined || process.platform !== 'linux') return present;
  const reason = fetchPackages(cacheDir, ['libfaketime']);
  const fetched = found();
  if (fetched === undefined) {
    process.stderr.write(
      `No libfaketime (${reason}): apt install libfaketime. Tests of Postgres' own clock are skipped.\n`,
    );
  }
  return fetched;
};

const libraryIn = (dir: string): readonly string[] =>
  globSync('usr/lib/*/faketime/libfaketime.so.1', { cwd: dir }).map((file) => path.join(dir, file));

export interface FakeTimePostgres extends PostgresServer {
  /** Its clock from now on, in libfaketime's words: `+0`, `-4h`, `+0 x60`. */
  setClock(words: string): void;
}

/** A Postgres with a clock that the test sets; no other clock changes. */
export const startFakeTimePostgres = async (library: string): Promise<FakeTimePostgres> => {
  // As root another account runs Postgres, which may read neither our folders nor those of the cache.
  const dir = mkdtempSync(path.join(os.tmpdir(), 'kibble-clock-'));
  chmodSync(dir, 0o755);
  const preload = path.join(dir, 'libfaketime.so.1');
  copyFileSync(library, preload);
  const file = path.join(dir, 'clock');
  // A rate stays until another is said.
  const setClock = (words: string): void => writeFileSync(file, `${words}${words.includes('x') ? '' : ' x1'}\n`);
  setClock('+0');
  const environment = {
    LD_PRELOAD: preload,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  const withItsClock = async <T>(start: () => Promise<T>): Promise<T> => {
    Object.assign(cleanEnvironment, environment);
    try {
      return await start();
    } finally {
      for (const name of Object.keys(environment)) Reflect.deleteProperty(cleanEnvironment, name);
    }
  };
  const postgres = await withItsClock(() => startPostgres());
  return {
    ...postgres,
    setClock,
    restart: () => withItsClock(postgres.restart),
    stop: async () => {
      await postgres.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
