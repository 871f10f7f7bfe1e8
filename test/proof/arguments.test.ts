import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { promiseRows } from './table/rows.ts';

const run = (file: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [path.join(import.meta.dirname, '../..', file), ...args], { encoding: 'utf8' });

/** With an argument that each refuses, and a word of why. */
const commands = [
  ['proof', 'test/proof/run.ts', ['--row', String(promiseRows.length + 1)], 'there is no row 33'],
  ['longevity', 'test/proof/runs/longevity.ts', ['--minutes', '0'], '--minutes: a number from 1 on, not “0”'],
  ['chaos', 'test/chaos/run.ts', ['--only', 'nothing at all'], '--only: one of'],
  ['simulate', 'test/simulation/run.ts', ['--histories', 'smooth'], '--histories: some of rough, kind, calm'],
  ['bench', 'bench/run.ts', ['no-such-row'], 'no such row; there are'],
  ['bench:peers', 'bench/peers/run.ts', ['--pairs', 'few'], '--pairs wants whole numbers'],
  ['bench:strategies', 'bench/strategies/run.ts', ['--fast'], "'--fast'"],
  ['build', 'build/package.ts', ['one', 'two'], '“two”: only one folder'],
] as const;

describe.each(commands)('npm run %s', (name, file, wrong, why) => {
  it('says what it can be asked', () => {
    const usage = expect.stringContaining(`npm run ${name}`);
    expect(run(file, '--help')).toMatchObject({ status: 0, stdout: usage, stderr: '' });
  });

  it('runs nothing for an argument that it does not know, and says which', () => {
    expect(run(file, ...wrong)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(why) });
  });
});

it('takes no other option, and no words where there are only options', () => {
  const refused = (why: string) => ({ status: 2, stdout: '', stderr: expect.stringContaining(why) });
  expect(run('test/simulation/run.ts', '--other')).toMatchObject(refused("'--other'"));
  expect(run('test/simulation/run.ts', 'rough')).toMatchObject(refused('“rough” is no option'));
  expect(run('bench/run.ts', 'herd', '--rounds', '3')).toMatchObject(refused('--rounds is for --against'));
  expect(run('bench/run.ts', 'herd', '--record')).toMatchObject(refused('--record is for --quick'));
});
