import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const folder = path.join(import.meta.dirname, '../../docs/adr');
const pages = readdirSync(folder).filter((name) => /^\d{4}-/.test(name));
const rows = readFileSync(path.join(folder, 'README.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const found = /^\| \[(\d+)\]\((.+?)\) \| (.+) \| (in force|superseded).* \|$/.exec(line);
    return found ? [{ number: Number(found[1]), file: found[2] ?? '', title: found[3] }] : [];
  });

it('lists every decision once, with its title and its status', () => {
  const titles = pages.map((file) => {
    const [, number, title] = /^# (\d+)\. (.+)$/m.exec(readFileSync(path.join(folder, file), 'utf8')) ?? [];
    return { number: Number(number), file, title };
  });
  expect(rows).toEqual(titles);
});

it('names the decision by which another one was superseded, wherever a page says so', () => {
  for (const file of pages) {
    const [, older] = /^Supersedes .*ADR (\d+)/m.exec(readFileSync(path.join(folder, file), 'utf8')) ?? [];
    if (older === undefined) continue;
    const row = readFileSync(path.join(folder, 'README.md'), 'utf8')
      .split('\n')
      .find((line) => line.startsWith(`| [${older}]`));
    expect(row).toContain(file);
  }
});
