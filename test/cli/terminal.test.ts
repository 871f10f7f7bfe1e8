import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Context, parseItems } from '../../server/cli/console/context.ts';
import { instant, table, widthOf } from '../../server/cli/console/lines.ts';
import { ProgressLine } from '../../server/cli/console/progress.ts';
import { plainly, type Terminal } from '../../server/cli/console/terminal.ts';
import { runProgram } from '../../server/cli/program.ts';
import { StoreFault } from '../../server/home/model/faults.ts';
import { explainFailure } from '../../server/wiring/explain-start.ts';

/** A command's output, by stream. */
const recorded = () => {
  const said: string[] = [];
  const notes: string[] = [];
  const terminal: Terminal = {
    say: (line) => said.push(line),
    note: (line) => notes.push(line),
    rewrite: (line) => notes.push(line),
    isForReader: false,
    canAsk: false,
    ask: async (question) => String(notes.push(question)),
    monotonicMs: () => 0,
    pause: async () => undefined,
    signal: new AbortController().signal,
    uniqueName: () => 'name',
  };
  return { terminal, said, notes };
};

const kibble = async (...args: readonly string[]) => {
  const { terminal, said, notes } = recorded();
  const code = await runProgram(args, {
    terminal,
    defaults: () => ({ url: undefined, token: undefined }),
    openDatabase: () => Promise.reject(new Error('\u001b[2Jgone')),
    startDevDatabase: () => Promise.reject(new Error('no Postgres here')),
    version: '1',
    explain: (error) => (error instanceof Error ? error.message : ''),
  });
  return { code, said, notes };
};

const hostile = 'a\u001b]0;x\u0007b\u009b2Jc\u202ed\u2028e\u200ff\u0000g\rh';
const harmless = 'a\\x1b]0;x\\x07b\\u009b2Jc\\u202ed\\u2028e\\u200ff\\x00g\\x0dh';

describe('text of strangers', () => {
  it('is shown, and moves no cursor, in whatever a command prints', async () => {
    const { terminal, said, notes } = recorded();
    const plain = plainly(terminal);
    plain.say(`${hostile}\nnext`);
    plain.note(hostile);
    plain.rewrite(hostile);
    await plain.ask(hostile);
    expect(said).toEqual([`${harmless}\nnext`]);
    expect(notes).toEqual([harmless, harmless, harmless]);
  });

  it('makes no line and no row of its own', async () => {
    const { terminal, said } = recorded();
    const context = new Context(terminal, () => ({ url: undefined, token: undefined }));
    const command = { optsWithGlobals: () => ({}) } as never;
    await context.show(command, {}, () => ['name: a\nadmin: yes', ...table(['id', 'error'], [['1', 'x\n2   fine']])]);
    expect(said).toEqual(['name: a\\x0aadmin: yes', 'id  error', '1   x\\x0a2   fine']);
  });

  it('is shown in what a failure says, and left alone as JSON', async () => {
    expect((await kibble('migrate')).notes).toEqual(['\\x1b[2Jgone']);
    const [json = ''] = (await kibble('--json', 'migrate')).notes;
    expect(JSON.parse(json)).toMatchObject({ message: '\u001b[2Jgone' });
  });

  it('stays JSON where an export is printed for people', () => {
    const { terminal, said } = recorded();
    plainly(terminal).say(JSON.stringify({ name: hostile }, undefined, 2));
    expect(JSON.parse(said[0] ?? '')).toEqual({ name: hostile });
  });
});

describe('a table', () => {
  it.each([
    ['Rex', 3],
    ['小花', 4],
    ['ポチ', 4],
    ['바둑이', 6],
    ['Ａ（）', 6],
    ['🐕', 2],
    ['👨‍👩‍👧', 2],
    ['é', 1],
    ['e\u0301', 1],
    ['', 0],
  ])('counts %s as %i columns', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it('has its columns below each other whatever is in them', () => {
    const lines = table(
      ['pet', 'due'],
      [
        ['小花', 1],
        ['Rex', 2],
      ],
    );
    expect(lines).toEqual(['pet   due', '小花  1', 'Rex   2']);
  });
});

it('an instant says that it is in UTC', () => {
  expect(instant(0)).toBe('1970-01-01 00:00:00.000Z');
  expect(instant(Number.MAX_SAFE_INTEGER)).toBe(instant(8.64e15));
});

it('progress never runs backwards, whatever its work counts at the end', () => {
  const { terminal, notes } = recorded();
  const progress = new ProgressLine(terminal, 'seed');
  progress.report(100_000, 100_000);
  progress.end(79_700, 100_000);
  expect(notes.map((line) => /: (\d+) of/.exec(line)?.[1])).toEqual(['100000', '100000']);
});

it.each([
  ['the store', new StoreFault('unknown', new Error('Query read timeout')), 'the store is unknown: Query read timeout'],
  ['a statement', Object.assign(new Error('disk full'), { severity: 'ERROR', code: '53100' }), 'disk full'],
  ['a connection', new Error('Connection terminated unexpectedly'), 'Connection terminated unexpectedly'],
])('a fault of %s is a sentence and no stack', (_, error, text) => {
  const told = explainFailure(error);
  expect(told).toBe(`the database failed: ${text}. What was done before is kept; run the command again.`);
});

describe('--items', () => {
  it('reads names as people write them, and amounts as far as a stock counts', () => {
    expect(parseItems('Gold bar=5, 木材_2=9007199254740991')).toEqual({
      'Gold bar': 5,
      木材_2: Number.MAX_SAFE_INTEGER,
    });
    for (const text of ['gold', 'gold=', '=5', 'gold=-1', 'gold=1=2'])
      expect(() => parseItems(text)).toThrow('name=count');
  });

  it('refuses a name that comes twice: one of its counts would be lost', () => {
    expect(() => parseItems('snack=1, boost=2, snack=2')).toThrow('--items names snack twice');
  });
});

describe('kibble rules check', () => {
  const written = (content: string): string => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-rules-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'rules.json');
    writeFileSync(file, content);
    return file;
  };

  it.each([
    ['works', '{ "things": { "hall": {} }, "activities": {} }'],
    ['pets', '{}'],
    ['a game', '{ "works": { "things": {}, "activities": {} } }'],
  ])('takes a file of %s', async (_, content) => {
    const file = written(content);
    expect(await kibble('rules', 'check', file)).toEqual({ code: 0, said: [`${file} is well-formed`], notes: [] });
  });

  it.each([
    ['works', '{ "things": { "Hall!": {} }, "activities": { "dig": 7 } }', [/^things\.Hall!/, /^activities\.dig/]],
    ['a game', '{ "foods": 7, "works": { "things": 7, "activities": {} } }', [/^foods/, /^works: things/]],
    ['no JSON', '{', [/^is no JSON/]],
  ])('tells all faults of %s, without a server', async (_, content, faults) => {
    const { code, said } = await kibble('rules', 'check', written(content));
    expect([code, said]).toEqual([1, faults.map((fault) => expect.stringMatching(fault))]);
  });

  it('says that there is no such file', async () => {
    expect(await kibble('rules', 'check', 'nowhere.json')).toMatchObject({
      code: 2,
      notes: [/nowhere/].map((text) => expect.stringMatching(text)),
    });
  });
});
