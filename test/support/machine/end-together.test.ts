import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const own = (file: string): string => JSON.stringify(path.join(import.meta.dirname, file));
const parent = `
  const { spawn } = await import('node:child_process');
  const { endTogether } = await import(${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, 'end-together.ts')))});
  const child = spawn(process.execPath, [${own('until-stopped.ts')}], { stdio: 'inherit' });
  endTogether(child);
  child.once('close', () => process.stdout.write('goes on\\n'));
`;

it('who is asked to end asks its child first, and ends after it as it was asked', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', parent], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('there');
  const closed = once(child, 'close');
  child.kill();
  expect((await lines.next()).value).toBe('asked to end');
  expect(await closed).toEqual([null, 'SIGTERM']);
});
