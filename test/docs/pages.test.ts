import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { limits } from '../../server/settings/config.ts';

const root = path.join(import.meta.dirname, '../..');
const read = (page: string): string => readFileSync(path.join(root, page), 'utf8');

/** Headings by their level, code without its comments, links by their target. */
const shapeOf = (text: string) => ({
  headings: [...text.matchAll(/^(#+) /gm)].map(([, level]) => level),
  code: [...text.matchAll(/^```\w+\n(.*?)^```/gms)].map(([, code = '']) => code.replace(/ *(\/\/|# ).*$/gm, '')),
  links: [...text.matchAll(/\]\(([^)]+\.md[^)]*)\)/g)].map(([, link]) => link),
});

it('README.zh.md has the sections, the code and the links of README.md, in their order', () => {
  const [english, chinese] = [shapeOf(read('README.md')), shapeOf(read('README.zh.md'))];
  expect(english.headings.length).toBeGreaterThan(5);
  expect(english.code.length).toBeGreaterThan(3);
  const toEachOther = (links: readonly (string | undefined)[]) => links.filter((link) => !/^README/.test(link ?? ''));
  expect({ ...chinese, links: toEachOther(chinese.links) }).toEqual({ ...english, links: toEachOther(english.links) });
});

describe('the list of decisions', () => {
  const folder = path.join(root, 'docs/adr');
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
});

describe('the page of logs', () => {
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

  /** The names of the fields in each `log.<level>({ ... }, 'message')` of a file. */
  const fieldsIn = (file: string): readonly string[] => {
    const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && isLogging(node.expression)) {
        const [fields] = node.arguments;
        if (fields && ts.isObjectLiteralExpression(fields)) {
          found.push(...fields.properties.map((property) => property.name?.getText() ?? property.getText()));
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  };

  const isLogging = (callee: ts.Expression): boolean =>
    ts.isPropertyAccessExpression(callee) &&
    levels.includes(callee.name.text) &&
    /(^|\.|#)log$/.test(callee.expression.getText());

  it('logs exactly the fields that docs/observability/logs.md explains', () => {
    const documented = [...read('docs/observability/logs.md').matchAll(/^\| `(\w+)` \|/gm)];
    const logged = new Set(globSync('server/**/*.ts', { cwd: root }).flatMap(fieldsIn));

    expect(documented.map(([, field]) => field).toSorted()).toEqual([...logged, 'level', 'time', 'msg'].toSorted());
  });
});

describe('SECURITY.md', () => {
  const page = read('SECURITY.md');
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
      if (file !== '') expect(read(file)).not.toBe('');
    }
  });

  it('names no other memory in a flood than the recorded one, and the target of its growth', () => {
    const flood = page.slice(page.indexOf('## What a flood'), page.indexOf('## Deploying it safely'));
    const recorded = JSON.parse(read('bench/results/floods.json'));
    const samples = Object.values<{ readonly growth: readonly number[] }>(recorded.samples);
    const growths = samples.map(
      ({ growth }) => Math.round(growth.reduce((sum, one) => sum + one, 0) / growth.length) + 0,
    );
    const named = [...flood.matchAll(/(-?\d+) MB/g)].map(([, megabytes]) => Number(megabytes));
    expect(named).toEqual([...growths, 64]);
  });
});
