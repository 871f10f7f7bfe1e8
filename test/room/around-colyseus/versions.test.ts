import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../../..');
const folder = path.join(root, 'server/room/around-colyseus');
const installed = (name: string): string =>
  JSON.parse(readFileSync(path.join(root, 'node_modules', name, 'package.json'), 'utf8')).version;

it.each(globSync('*.ts', { cwd: folder }))(
  '%s says in which version it was seen: look again after an upgrade',
  (file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    const seen = [...text.matchAll(/(@colyseus\/[\w-]+) (\d+\.\d+\.\d+)/g)];
    expect(seen).not.toHaveLength(0);
    for (const [, name = '', version] of seen) expect(version, name).toBe(installed(name));
  },
);
