import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const script = (name: string): string[] => ['build/bootstrap.mjs', `examples/${name}.ts`];

it('npm run demo tells its story to the end: after a SIGKILL each meal is finished and begun at its exact time', {
  timeout: 90_000,
}, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, script('demo'), { cwd: root });
  const at = (words: RegExp): string[] =>
    stdout.split('\n').flatMap((line) => (words.test(line) ? (/^\s*(\d+\.\d{3}) s/.exec(line)?.slice(1) ?? []) : []));
  const finished = at(/finished: \+/);
  const fedByCard = at(/auto-fed/);
  expect(finished).toHaveLength(3);
  expect(fedByCard).toEqual(finished.slice(0, 2));
  // The last meal begins while the player is away, and no boost lasts into it.
  expect(Number(finished[2]) - Number(fedByCard[1])).toBeCloseTo(6, 6);
  // The mill begins when the hall releases the only builder, to the millisecond, although the player is away.
  expect(at(/mill: started/)).toEqual(at(/hall: finished/));
  expect(Number(at(/mill: finished/)[0]) - Number(at(/mill: started/)[0])).toBeCloseTo(4, 6);
  expect(stdout).toContain('Rex has 30 xp and eats again');
});

it('npm run play serves the page with meals of seconds, and ends when it is asked to', {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-play-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH ?? '', PORT: '0', DATA_DIR: folder };
  const play = spawn(process.execPath, script('play'), { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => play.once('exit', resolve));
  const address = await new Promise<string>((resolve, reject) => {
    let said = '';
    play.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
      const found = /ready at (http:\/\/[^\s"]+)/.exec(said)?.[1];
      if (found) resolve(found);
    });
    play.once('exit', (code) => reject(new Error(`it ended with ${code} before it was ready: ${said}`)));
  });
  const page = await fetch(address);
  expect(page.headers.get('content-type')).toContain('text/html');
  const { foods } = (await (await fetch(`${address}/rules.json`)).json()) as { foods: Record<string, unknown> };
  expect(foods['dog-food']).toMatchObject({ workMs: 12_000 });
  play.kill('SIGTERM');
  expect(await ended).toBe(0);
});
