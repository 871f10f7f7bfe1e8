// `npm run build`: makes `dist/`, the folder that is published (`npm pack ./dist`).
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildPage } from './build-page.ts';
import { documents } from './documents.ts';
import { entries } from './entries.ts';
import { ownFolder } from './own-folder.ts';
import { readArguments } from './read-arguments.ts';

const root = path.dirname(import.meta.dirname);
const usage = `npm run build               makes the package in dist/
npm run build -- FOLDER     makes it there: a new or empty folder, or one with an earlier package
`;

const dist = readArguments({ usage, options: {}, takesWords: true }, ({ positionals: [folder = 'dist', more] }) => {
  if (more !== undefined) throw new Error(`“${more}”: only one folder`);
  return folder === 'dist' ? path.join(root, folder) : ownFolder(path.resolve(root, folder));
});

/** Files beside the sources that are read at run time. */
const assets = '{server,shared}/**/*.{sql,json}';

const emit = (): void => {
  rmSync(dist, { recursive: true, force: true });
  const compiler = path.join(root, 'node_modules/@typescript/native/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', dist], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
};

const copyAssets = (): void => {
  for (const file of [...globSync(assets, { cwd: root }), ...documents(root)]) {
    mkdirSync(path.dirname(path.join(dist, file)), { recursive: true });
    copyFileSync(path.join(root, file), path.join(dist, file));
  }
  cpSync(path.join(root, 'docs/schemas'), path.join(dist, 'schemas'), { recursive: true });
};

/** Inlines the files that sources read, so that a bundle of a server has them. */
const inline = (): void => {
  const lua = globSync('server/adapter/redis/index/lua/*.lua', { cwd: root }).map((file) => [
    path.basename(file, '.lua'),
    readFileSync(path.join(root, file), 'utf8'),
  ]);
  const scripts = JSON.stringify(Object.fromEntries(lua), null, 2);
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const put = (file: string, code: string): void => {
    if (!existsSync(path.join(dist, file))) throw new Error(`${file} is not there: what stands in its place now?`);
    writeFileSync(path.join(dist, file), code);
  };
  put(
    'server/adapter/redis/index/lua-of.js',
    `const scripts = ${scripts};\nexport const luaOf = (file) => scripts[file];\n`,
  );
  put('server/telemetry/version.js', `export const version = ${JSON.stringify(version)};\n`);
};

/** Games serve the operators' page, too; only the reference server has the playable one. */
const copyOpsPage = async (): Promise<void> => {
  await buildPage('ops');
  cpSync(path.join(root, 'ops/dist'), path.join(dist, 'ops/dist'), { recursive: true });
};

/**
 * An entry is published as soon as its file exists. A game has its own Node and Postgres, so the packages that install
 * them in a clone are left out.
 */
const writeManifest = (): void => {
  const {
    devDependencies: _,
    scripts: __,
    overrides: ___,
    optionalDependencies: ____,
    ...manifest
  } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  const published = Object.entries(entries).filter(([, file]) => existsSync(path.join(dist, `${file}.js`)));
  const exported = published.map(([subpath, file]) => [subpath, { types: `./${file}.d.ts`, default: `./${file}.js` }]);
  const own = {
    ...manifest,
    exports: { ...Object.fromEntries(exported), './schemas/*.json': './schemas/*.json' },
    // The folder contains only the package.
    files: ['**'],
    bin: { kibble: './server/cli/kibble-command.js' },
  };
  writeFileSync(path.join(dist, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
};

emit();
copyAssets();
inline();
await copyOpsPage();
writeManifest();
