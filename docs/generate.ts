// What `npm run docs` runs: the pages and classes that are made from the sources, and the API reference in docs/api.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedFiles } from './generate/generated.ts';

for (const [file, content] of Object.entries(generatedFiles())) {
  const target = path.join(import.meta.dirname, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
}

// Its settings are in typedoc.json; a warning counts as a failure.
const root = path.dirname(import.meta.dirname);
const typedoc = path.join(root, 'node_modules/typedoc/bin/typedoc');
const { status } = spawnSync(process.execPath, [typedoc], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);
