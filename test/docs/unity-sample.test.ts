import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { definitions } from '../../docs/generate/schemas.ts';
import { rejectionCodes } from '../../shared/pets/protocol.ts';
import { fetchPackages } from '../support/machine/debian-release.ts';

const cacheDir = path.resolve(import.meta.dirname, '../../node_modules/.cache/kibble/mono');
/** Mono's compiler, its runtime and the libraries that it and the sample need: 7 MB. */
const packages = [
  ...['mono-mcs', 'mono-runtime-sgen', 'mono-runtime-common', 'libmono-corlib4.5-cil', 'libmono-corlib4.5-dll'],
  ...['libmono-system4.0-cil', 'libmono-system-core4.0-cil', 'libmono-system-numerics4.0-cil'],
  ...['libmono-system-xml4.0-cil', 'libmono-system-security4.0-cil', 'libmono-system-configuration4.0-cil'],
  'libmono-security4.0-cil',
];

/** Takes the paths of sources, and returns what the compiler said and its code (0: they compile), and what their `Main` printed. */
type RunCsharp = (...files: readonly string[]) => { readonly code: number | null; readonly said: string };

/** A C# compiler of the Debian or Ubuntu archive, fetched once into the cache folder; or the reason why there is none. */
const csharp = (): RunCsharp | string => {
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
    const made = path.join(folder, 'made.exe');
    const mono = (...args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(path.join(cacheDir, 'usr/bin/mono-sgen'), args, {
        env,
        encoding: 'utf8',
      });
      return { code: status, said: `${stdout}${stderr}` };
    };
    const compiled = mono(compiler, '-target:exe', '-langversion:7', `-out:${made}`, ...files);
    const played = compiled.code === 0 && compiled.said === '' ? mono(made) : compiled;
    rmSync(folder, { recursive: true });
    return played;
  };
};

const sdk = path.join(import.meta.dirname, '../../docs/sdk');
const read = (file: string): string => readFileSync(path.join(sdk, file), 'utf8');
const sample = read('unity/HomeClient.cs');

it('comes back after every close code, sends again, waits longer each time, refuses what closes each connection, tells each event in order, ends where the token is refused, and begins anew', {
  timeout: 60_000,
}, ({ skip }) => {
  const run = csharp();
  if (typeof run === 'string') return skip(`no C# compiler (${run}): only names are checked`);
  const states = ['csharp/HomeState.cs', 'csharp/PetState.cs'].map((file) => path.join(sdk, file));
  const around = ['UnityAndColyseus.cs', 'Playing.cs'].map((file) => path.join(import.meta.dirname, 'unity', file));
  const codes = [1000, 1001, 1006, 4001, 4003, 4401];
  const lines = [
    ...codes.map((code) => `${code} back True since 7 of first again True`),
    'away tries True',
    'refused for now: sent again False, new True, unknown False',
    'done True True',
    'quoted True',
    'told 8 9 10 12 13 14',
    'thrown out 2 answered True True refused command/too-large',
    'refused auth/refused tries 1',
    'new True since 0',
    'quiet joins 0',
    'dead joins 1 again True',
    'erased told 1 2 1 changed 1 since 1 of second',
    'another told 8 renewed the renewed token of bea',
  ];
  const played = run(...around, ...states, path.join(sdk, 'unity/HomeClient.cs'));
  expect(played).toEqual({ code: 0, said: `${lines.join('\n')}\n` });
  // Without its states it does not compile: the compiler reads what it is given.
  expect(run(...around, path.join(sdk, 'unity/HomeClient.cs'))).toMatchObject({ code: 1 });
});

it('casts nothing inside a message to a Dictionary, which the SDK does not make of it', () => {
  expect(sample).not.toMatch(/\(Dictionary<string, object>\)/);
});

it('sends and hears only messages that there are', () => {
  const names = [...sample.matchAll(/"(home:[\w-]+)"/g)].map(([, name = '']) => name);
  const known = [...Object.keys(definitions), 'home:reply', 'home:rejected'];
  expect(new Set(names).size).toBeGreaterThan(5);
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

it('sends the fields of each message that it sends', () => {
  const sent = [...sample.matchAll(/"(home:[\w-]+)", new Dictionary<string, object>\s*(?:\(\)|\{([^}]*)\})/g)];
  expect(sent).not.toHaveLength(0);
  for (const [, name = '', fields = ''] of sent) {
    const own = [...fields.matchAll(/\["(\w+)"\]/g)].map(([, field]) => field);
    const schema = definitions[name]?.properties ?? {};
    expect(own.filter((field) => !(String(field) in schema))).toEqual([]);
    const required = (definitions[name]?.required ?? []).filter((field) => field !== 'commandId');
    expect(own).toEqual(expect.arrayContaining([...required]));
  }
});

it('reads only fields of things that they have, and codes that there are', () => {
  const fieldsOf = (name: string): readonly string[] => Object.keys(definitions[name]?.properties ?? {});
  const ofThings = sample.slice(sample.indexOf('void OnThings'), sample.indexOf('static string Field'));
  const readOf = (what: string): readonly string[] =>
    [...ofThings.matchAll(new RegExp(`\\b(?:${what})\\["(\\w+)"\\]`, 'g'))].map(([, field = '']) => field);
  expect(fieldsOf('home:things')).toEqual(expect.arrayContaining([...readOf('message|part')]));
  expect(readOf('message|part')).toContain('things');
  expect(readOf('told').toSorted()).toEqual(fieldsOf('thing').toSorted());
  const codes = [...sample.matchAll(/"([a-z]+\/[a-z-]+)"/g)].map(([, code]) => code);
  // The last is the client's own, as that of `followHome`.
  const known = [...rejectionCodes, 'command/too-large'];
  expect(codes.filter((code) => !known.some((name) => name === code))).toEqual([]);
});
