import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { expect, it } from 'vitest';

const entry = path.resolve(import.meta.dirname, '../../../client/follow/follow-home.ts');

it('weighs at most 7 kB with gzip, and brings no package along', async () => {
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: true, lib: { entry, formats: ['es'] } },
  })) as readonly Rolldown.RolldownOutput[];
  const chunks = built.flatMap(({ output }) => output).filter((part) => part.type === 'chunk');
  const modules = chunks.flatMap((chunk) => Object.keys(chunk.modules));

  expect(modules).toContain(entry);
  expect(modules.filter((file) => file.includes('node_modules'))).toEqual([]);
  expect(chunks.flatMap((chunk) => chunk.imports)).toEqual([]);
  expect(gzipSync(chunks.map((chunk) => chunk.code).join('')).length).toBeLessThanOrEqual(7_000);
});
