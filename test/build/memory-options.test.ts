import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

it.each(['build/bootstrap.mjs', 'Dockerfile', 'examples/support/server-process.ts'])(
  '%s starts a server with the bounds on memory that the floods were measured with',
  (file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    for (const option of ['--max-semi-space-size=32', '--heap-growing-percent=50']) expect(text).toContain(option);
  },
);
