import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { documents, linkedBy } from '../../build/documents.ts';
import manifest from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };

const root = path.join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const packed = documents(root);
const isPacked = (target: string): boolean =>
  packed.includes(target) || packed.some((file) => file.startsWith(`${target.replace(/\/$/, '')}/`));

// A record speaks of the clone that it was made in.
const forGames = packed.filter((file) => /\.md$|^llms\.txt$/.test(file) && !/^(bench|docs\/(record|adr))\//.test(file));

it('every link of a page for games leads to a file of the package', () => {
  expect(forGames).toEqual(expect.arrayContaining(['README.md', 'README.zh.md', 'llms.txt', 'docs/adopting.md']));
  expect(linkedBy(root, 'README.md')).toEqual(expect.arrayContaining(['docs/adopting.md', 'docs/images/peers.svg']));
  const dead = forGames.flatMap((page) =>
    linkedBy(root, page)
      .filter((target) => !isPacked(target))
      .map((target) => `${page}: ${target}`),
  );
  expect(dead).toEqual([]);
});

it('llms.txt and the index of the pages name every page', () => {
  const pages = globSync('docs/*.md', { cwd: root }).map((page) => page.replaceAll(path.sep, '/'));
  const others = pages.filter((page) => page !== 'docs/README.md');
  expect(linkedBy(root, 'llms.txt')).toEqual(expect.arrayContaining(others));
  expect(linkedBy(root, 'docs/README.md')).toEqual(expect.arrayContaining(others));
});

it('records stand in a section of their own, behind the pages for games', () => {
  const [forUse = '', records = ''] = read('docs/README.md').split('**Records**');
  expect(forUse).not.toContain('](record/');
  expect(records).toContain('](record/');
});

it('has one number: of the manifest, the lock, the newest section of the changelog, and the lines that install it', () => {
  const { version } = manifest;
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
  expect(/^## (.+)$/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
  for (const page of [
    'README.md',
    'README.zh.md',
    'docs/adopting.md',
    'docs/production.md',
    'examples/town/README.md',
  ]) {
    const named = [...read(page).matchAll(/colyseus-kibble-(.+?)\.tgz/g)].map(([, number]) => number);
    expect(new Set(named), page).toEqual(new Set([version]));
  }
  const town = JSON.parse(read('examples/town/package.json')) as { dependencies: Record<string, string> };
  expect(town.dependencies[manifest.name]).toBe(`^${version}`);
});

it('names no address, since the project has none yet', () => {
  for (const field of ['repository', 'homepage', 'bugs']) expect(manifest).not.toHaveProperty(field);
  expect(manifest.keywords).toEqual(expect.arrayContaining(['colyseus', 'postgres', 'timers']));
});
