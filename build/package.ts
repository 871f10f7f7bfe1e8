// What `npm run build` runs: makes `dist/`, the folder that is published (`npm pack ./dist`).
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { entries } from './entries.ts';

const root = path.dirname(import.meta.dirname);
const dist = path.join(root, 'dist');

/** Files beside the sources that are read at run time. */
const assets = '{server,shared}/**/*.{lua,sql,json}';

const emit = (): void => {
  rmSync(dist, { recursive: true, force: true });
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
};

const copyAssets = (): void => {
  for (const file of [...globSync(assets, { cwd: root }), 'README.md', 'LICENSE']) {
    mkdirSync(path.dirname(path.join(dist, file)), { recursive: true });
    copyFileSync(path.join(root, file), path.join(dist, file));
  }
};

/** An entry is published as soon as its file exists. Node comes with the game, so the node-* packages stay out. */
const writeManifest = (): void => {
  const {
    devDependencies: _,
    scripts: __,
    overrides: ___,
    optionalDependencies,
    ...manifest
  } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Record<string, Record<string, string>>;
  const published = Object.entries(entries).filter(([, file]) => existsSync(path.join(dist, `${file}.js`)));
  const exported = published.map(([subpath, file]) => [subpath, { types: `./${file}.d.ts`, default: `./${file}.js` }]);
  const optional = Object.entries(optionalDependencies ?? {}).filter(([name]) => !name.startsWith('node-'));
  const own = {
    ...manifest,
    exports: Object.fromEntries(exported),
    bin: { kibble: './server/kibble-command.js' },
    optionalDependencies: Object.fromEntries(optional),
  };
  writeFileSync(path.join(dist, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
};

emit();
copyAssets();
writeManifest();
