import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { entries as packageEntries } from '../../build/entries.ts';
import { parsedOnce } from '../support/source/public-types.ts';

/** A block of TypeScript in a page, and the lines before it that a reader does not see. */
interface DocBlock {
  /** `docs/concepts.md:12`: where its first line is. */
  readonly name: string;
  readonly code: string;
  /** The `<!-- preamble ... -->` right before it: imports and declarations that would distract a reader. */
  readonly preamble: string;
}

const block = /(?:<!-- preamble\n([\s\S]*?)\n?-->\n+)?^```ts\n([\s\S]*?)^```$/gm;

/** All ```ts blocks of a page, in order. */
const blocksIn = (page: string, text: string): readonly DocBlock[] =>
  [...text.matchAll(block)].map((found) => {
    const [all, preamble = '', code = ''] = found;
    const line = text.slice(0, found.index + all.indexOf('```ts\n')).split('\n').length + 1;
    return { name: `${page}:${line}`, code, preamble };
  });

/** The package's entries by the names that a game imports, and the sources behind them. */
const entries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(packageEntries).map(([subpath, file]) => [`colyseus-kibble${subpath.slice(1)}`, `${file}.ts`]),
);

/** A line such as `cut(work, 5); // -> { ... }` as a check of it. */
const withChecks = (code: string): string => code.replace(/^(\s*)(.+?);? +\/\/ -> (.+)$/gm, '$1expectEqual($2, $3);');

const root = path.join(import.meta.dirname, '../..');
const pages = ['README.md', 'README.zh.md', ...globSync('docs/*.md', { cwd: root })].map((page) =>
  page.replaceAll(path.sep, '/'),
);
const blocks = pages.flatMap((page) => blocksIn(page, readFileSync(path.join(root, page), 'utf8')));

const parsed = new Map<string, ts.SourceFile>();

/** The compiler's faults of blocks, each in its own file in memory. */
const faultsIn = (codes: readonly string[]): readonly string[] => {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const files = new Map(codes.map((code, at) => [path.join(root, `doc-block-${at}.ts`), code]));
  const paths = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, [path.join(root, file)]]));
  // A reader has settings of his own.
  const own = { ...options, paths, noUnusedLocals: false, noUnusedParameters: false, noImplicitOverride: false };
  const host = parsedOnce(ts.createCompilerHost(own), parsed);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => files.has(file) || fileExists.call(host, file);
  host.getSourceFile = (file, version, ...more) => {
    const code = files.get(file);
    return code === undefined
      ? getSourceFile.call(host, file, version, ...more)
      : ts.createSourceFile(file, code, version);
  };
  const program = ts.createProgram([...files.keys()], own, host);
  return [...files.keys()].flatMap((file, at) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText }) => `${at}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
  });
};

describe('the code in the pages', () => {
  it('compiles against the package', { timeout: 60_000 }, () => {
    const faults = faultsIn(blocks.map(({ preamble, code }) => `${preamble}\n${code}\nexport {};\n`));
    expect(blocks.length).toBeGreaterThan(5);
    expect(faults.map((fault) => fault.replace(/^\d+/, (at) => blocks[Number(at)]?.name ?? ''))).toEqual([]);
  });

  it('is checked at all: what does not fit is found', { timeout: 60_000 }, () => {
    const wrong = `import { dueAtMs } from 'colyseus-kibble/work'; dueAtMs('soon', undefined);`;
    expect(faultsIn([wrong])).toEqual([expect.stringContaining("'string' is not assignable")]);
  });

  it('has the values that stand behind its arrows', () => {
    const checked = blocks.filter(({ code }) => code.includes('// ->'));
    expect(checked).not.toHaveLength(0);
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-docs-'));
    try {
      for (const { name, preamble, code } of checked) {
        const file = path.join(folder, 'block.ts');
        const expectEqual = `import { deepStrictEqual as expectEqual } from 'node:assert';\n`;
        const text = `${expectEqual}${preamble}\n${withChecks(code)}`.replaceAll(
          /from '(colyseus-kibble[^']*)'/g,
          (_, entry) => {
            return `from '${pathToFileURL(path.join(root, entries[entry] ?? ''))}'`;
          },
        );
        writeFileSync(file, text);
        const { status, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
          encoding: 'utf8',
        });
        expect(status, `${name}\n${stderr}`).toBe(0);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('links between the pages', () => {
  const others = [
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'bench/README.md',
    'examples/town/README.md',
  ];
  const linked = [...pages, ...others, ...globSync('docs/{sdk,observability,record,adr}/*.md', { cwd: root })];
  const anchorOf = (heading: string): string =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-');

  it.each(linked)('%s leads to files and headings that exist', (page) => {
    // Blocks of code, and pieces between two backticks and more, hold no links.
    const text = readFileSync(path.join(root, page), 'utf8').replaceAll(/(`{2,})[\s\S]*?\1/g, '');
    for (const [, link = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path.join(root, page) : path.join(root, path.dirname(page), file);
      if (anchor === undefined || !target.endsWith('.md')) {
        expect(globSync(target), link).not.toHaveLength(0);
        continue;
      }
      const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        anchorOf(heading),
      );
      expect(headings, link).toContain(anchor);
    }
  });

  // The proof, the changelog and a decision speak of the tree of their day.
  const ofNow = linked.filter((page) => !/^(docs\/record\/proof|CHANGELOG|docs\/adr\/\d)/.test(page));

  it.each(ofNow)('%s names tests and sources that are there', (page) => {
    const text = readFileSync(path.join(root, page), 'utf8');
    const named = text.matchAll(
      /`((?:test|server|shared|client|load|ops|testing|build)\/[\w./-]+\.(?:tsx?|mjs|lua))`/g,
    );
    for (const [, file = ''] of named) expect(existsSync(path.join(root, file)), file).toBe(true);
  });
});
