import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const table = readFileSync(path.join(root, 'docs/runbook.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1);
const rows = table.map((line) => {
  const cells = line.split(' | ');
  const [, file = '', title = ''] = /^`([^`]+)`: (.*?) \|$/.exec(cells.at(-1) ?? '') ?? [];
  return [cells[0]?.slice(2) ?? '', file, title] as const;
});

it.each(rows)('%s: names a test that exists', (_, file, title) => {
  const source = readFileSync(path.join(root, file), 'utf8');
  const titles = [...source.matchAll(/\bit(?:\.(?:skipIf|each|for)\([^)]*\)+)?\(\s*(?:'([^'\n]+)'|"([^"\n]+)")/g)].map(
    ([, one, other]) => one ?? other,
  );
  expect(titles.some((found) => found?.includes(title))).toBe(true);
});
