// What `npm run docs` runs: the pages and classes that are made from the sources, and the API reference.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedFiles } from './generate/generated.ts';

for (const [file, content] of Object.entries(generatedFiles())) {
  const target = path.join(import.meta.dirname, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
}
