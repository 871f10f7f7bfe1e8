import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fetchPackages } from './debian-packages.ts';

const cacheDir = path.resolve(import.meta.dirname, '../../../node_modules/.cache/kibble/mono');
/** Mono's compiler, its runtime and the libraries that it and the sample need: 7 MB. */
const packages = [
  ...['mono-mcs', 'mono-runtime-sgen', 'mono-runtime-common', 'libmono-corlib4.5-cil', 'libmono-corlib4.5-dll'],
  ...['libmono-system4.0-cil', 'libmono-system-core4.0-cil', 'libmono-system-numerics4.0-cil'],
  ...['libmono-system-xml4.0-cil', 'libmono-system-security4.0-cil', 'libmono-system-configuration4.0-cil'],
  'libmono-security4.0-cil',
];

/** Takes the paths of sources, and returns what the compiler said and its code: 0 means that they compile. */
export type CompileCsharp = (...files: readonly string[]) => { readonly code: number | null; readonly said: string };

/** A C# compiler of the Debian or Ubuntu archive, fetched once into the cache folder; or the reason why there is none. */
export const csharpCompiler = (): CompileCsharp | string => {
  const compiler = path.join(cacheDir, 'usr/lib/mono/4.5/mcs.exe');
  const reason = existsSync(compiler) ? '' : fetchPackages(cacheDir, packages);
  if (!existsSync(compiler)) return reason;
  const env = {
    MONO_PATH: path.join(cacheDir, 'usr/lib/mono/4.5'),
    MONO_CFG_DIR: path.join(cacheDir, 'etc'),
    LD_LIBRARY_PATH: path.join(cacheDir, 'usr/lib'),
  };
  return (...files) => {
    // Not /dev/null: the compiler puts a file in its place.
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-csharp-'));
    const args = [compiler, '-target:library', '-langversion:7', `-out:${path.join(folder, 'made.dll')}`, ...files];
    const compiled = spawnSync(path.join(cacheDir, 'usr/bin/mono-sgen'), args, { env, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    return { code: compiled.status, said: `${compiled.stdout}${compiled.stderr}` };
  };
};
