import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { limits } from '../server/settings/config.ts';

const root = path.join(import.meta.dirname, '..');
const page = readFileSync(path.join(root, 'SECURITY.md'), 'utf8');
const rows = [...page.matchAll(/^\| [^|]+ \| `(\w+)\.(\w+)` \| ([^|]+) \|/gm)];

/** `120 in 4 s`, `4096 bytes`, `10000 ms`, `16`. */
const said = (value: unknown): string => {
  if (typeof value === 'number') return String(value);
  const { count, perMs } = value as { readonly count: number; readonly perMs: number };
  return `${count} in ${perMs / 1_000} s`;
};

it('says what each limit is', () => {
  const groups: Readonly<Record<string, Readonly<Record<string, unknown>>>> = limits;

  for (const [, group = '', name = '', text = ''] of rows) {
    const value = said(groups[group]?.[name]);
    expect(text.replace(/ bytes| ms| in 1 s/, ''), `${group}.${name}`).toBe(value);
  }
});

it('leaves out none of those that clients can meet', () => {
  const named = rows.map(([, group, name]) => `${group}.${name}`);

  for (const group of ['http', 'rooms', 'rates'] as const) {
    for (const name of Object.keys(limits[group])) expect(named).toContain(`${group}.${name}`);
  }
});

it('names tests and files that are there', () => {
  for (const [, file = ''] of page.matchAll(/`(test\/[\w/.-]+\.ts)`|\]\(((?:docs|server)\/[\w/.-]+)\)/g)) {
    if (file !== '') expect(readFileSync(path.join(root, file), 'utf8')).not.toBe('');
  }
});

it('names no other memory in a flood than the recorded one, and the target of its growth', () => {
  const flood = page.slice(page.indexOf('## What a flood'), page.indexOf('## Deploying it safely'));
  const recorded = JSON.parse(readFileSync(path.join(root, 'bench/results/floods.json'), 'utf8'));
  const samples = Object.values<{ readonly growth: readonly number[] }>(recorded.samples);
  const growths = samples.map(
    ({ growth }) => Math.round(growth.reduce((sum, one) => sum + one, 0) / growth.length) + 0,
  );
  const named = [...flood.matchAll(/(-?\d+) MB/g)].map(([, megabytes]) => Number(megabytes));
  expect(named).toEqual([...growths, 64]);
});
