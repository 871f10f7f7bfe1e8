import path from 'node:path';
import { expect, it } from 'vitest';
import { packagesBehind } from '../support/source/import-graph.ts';

const root = path.join(import.meta.dirname, '../..');
const behind = (file: string): readonly string[] => [...packagesBehind(path.join(root, file))].sort();

it('a game that wants timers needs no Colyseus for them', () => {
  const packages = behind('server/timers.ts');
  expect(packages.filter((name) => name.startsWith('@colyseus/'))).toEqual([]);
  // The test would see one.
  expect(packages).toEqual(expect.arrayContaining(['ioredis', 'pg', 'typeorm']));
  expect(behind('server/kibble.ts')).toContain('@colyseus/core');
});

it('the command starts without the players of `kibble load`, which the image of a server lacks', () => {
  const loaded = new Set<string>();
  packagesBehind(path.join(root, 'server/cli/kibble-command.ts'), loaded);
  const folders = [...loaded].map((file) => path.relative(root, file).split(path.sep)[0]);
  expect([...new Set(folders)].sort()).toEqual(['server', 'shared']);
});

it('a module needs nothing but zod, and that for its types alone', () => {
  expect(behind('shared/module/module.ts').filter((name) => name !== 'zod')).toEqual([]);
});

it('the arithmetic of timed work needs nothing at all', () => {
  expect(behind('shared/work.ts')).toEqual([]);
});
