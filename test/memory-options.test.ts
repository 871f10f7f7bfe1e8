import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');

it.each(['server/bootstrap.mjs', 'Dockerfile', 'examples/support/server-process.ts'])(
  '%s starts a server with the bound on memory that the floods were measured with',
  (file) => {
    expect(readFileSync(path.join(root, file), 'utf8')).toContain('--max-semi-space-size=16');
  },
);
