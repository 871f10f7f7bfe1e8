import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../../..');
const folder = path.join(root, 'server/room/around-colyseus');
const { dependencies, devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Record<
  string,
  Record<string, string>
>;
const versions: Readonly<Record<string, string | undefined>> = { ...dependencies, ...devDependencies };

it.each(globSync('*.ts', { cwd: folder }))(
  '%s says in which version it was seen: look again after an upgrade',
  (file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    const seen = [...text.matchAll(/(@colyseus\/[\w-]+) (\d+\.\d+\.\d+)/g)];
    expect(seen).not.toHaveLength(0);
    for (const [, name = '', version] of seen) expect(version, name).toBe(versions[name]);
  },
);
