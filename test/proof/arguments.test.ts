import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { promiseRows } from './table/rows.ts';

const proof = (...args: readonly string[]) =>
  spawnSync(process.execPath, [path.join(import.meta.dirname, 'run.ts'), ...args], { encoding: 'utf8' });

it('says what it can be asked, and runs nothing for another argument', () => {
  const helped = proof('--help');
  expect(helped).toMatchObject({ status: 0, stdout: expect.stringContaining('--row n') });
  expect(helped.stdout).toContain('writes nothing');
  const noRow = proof('--row', String(promiseRows.length + 1));
  expect(noRow).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('there is no row 27') });
  expect(proof('--rows', '1')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining("'--rows'") });
});
