import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { violationsIn } from './support/architecture.ts';

const root = path.dirname(import.meta.dirname);

it('has every import point inward, and one home each for clock, timers, random and environment', () => {
  const files = globSync('{shared,server,client,ops}/**/*.{ts,tsx}', { cwd: root, exclude: ['{client,ops}/dist/**'] });

  expect(files).not.toHaveLength(0);
  expect(
    files.flatMap((file) => violationsIn(file.replaceAll(path.sep, '/'), readFileSync(path.join(root, file), 'utf8'))),
  ).toEqual([]);
});

describe('the checker itself', () => {
  it.each([
    ['server/domain/settle.ts', `import { x } from '../home/home-service.ts';`],
    ['server/domain/settle.ts', `import type { x } from '../timer/timer.ts';`],
    ['server/domain/settle.ts', `import { readFileSync } from 'node:fs';`],
    ['server/timer/worker.ts', `import type { Redis } from 'ioredis';`],
    ['server/timer/worker.ts', `const room = await import('@colyseus/core');`],
    ['server/timer/wheel/slots.ts', `export { x } from '../../domain/decide.ts';`],
    ['server/timer/worker.ts', `type X = import('../adapter/postgres/store.ts').X;`],
    ['server/home/home-service.ts', `import '../adapter/redis/keys.ts';`],
    ['server/room/home-room.ts', `import { sql } from '../adapter/postgres/store.ts';`],
    ['server/adapter/redis/keys.ts', `import { room } from '../../room/home-room.ts';`],
    ['shared/work.ts', `import { x } from '../server/domain/decide.ts';`],
    ['server/config.ts', `import { x } from './telemetry.ts';`],
    ['client/follow/link.ts', `import { x } from '../page/main.tsx';`],
    ['client/follow/link.ts', `import { Client } from '@colyseus/sdk';`],
    ['client/page/main.tsx', `import { x } from '../../server/kibble.ts';`],
    ['client/page/main.tsx', `const at = Date.now();`],
    ['ops/main.tsx', `import { x } from '../client/page/main.tsx';`],
    ['ops/main.tsx', `const at = Date.now();`],
    ['server/home/home-service.ts', `const at = Date.now();`],
    ['server/home/home-service.ts', `const at = globalThis.Date.now();`],
    ['server/home/home-service.ts', `const { now } = performance;`],
    ['server/home/home-service.ts', `const at = new Date();`],
    ['server/home/home-service.ts', `const at = +new Date;`],
    ['server/home/home-service.ts', `import { performance } from 'node:perf_hooks'; performance.now();`],
    ['server/home/home-service.ts', `setTimeout(() => {}, 5);`],
    ['server/home/home-service.ts', `globalThis.setInterval(() => {}, 5);`],
    ['server/home/home-service.ts', `const wait = promisify(setImmediate);`],
    ['server/home/home-service.ts', `import { setTimeout as sleep } from 'node:timers/promises';`],
    ['server/home/home-service.ts', `Math.random();`],
    ['server/home/home-service.ts', `Math['random']();`],
    ['server/home/home-service.ts', `crypto.randomUUID();`],
    ['server/home/home-service.ts', `import { randomUUID as id } from 'node:crypto';`],
    ['server/main.ts', `readConfig(process.env);`],
    ['server/main.ts', `const { env } = process;`],
    ['server/main.ts', `import { env } from 'node:process';`],
  ])('sees what is wrong in %s: %s', (file, text) => {
    expect(violationsIn(file, text)).toHaveLength(1);
  });

  it.each([
    ['server/domain/settle.ts', `import { x } from '../../shared/work.ts'; import { y } from './timers-of.ts';`],
    ['server/home/home-service.ts', `import { x } from '../timer/timer.ts'; import { limits } from '../config.ts';`],
    [
      'server/adapter/redis/due-index.ts',
      `import { Redis } from 'ioredis'; import type { x } from '../../timer/ports.ts';`,
    ],
    ['server/main.ts', `import { x } from './room/home-room.ts'; import './adapter/redis/keys.ts';`],
    ['server/adapter/system-clock.ts', `Date.now(); performance.now(); setTimeout(() => {}, 5);`],
    ['server/adapter/random.ts', `crypto.randomUUID();`],
    ['server/config.ts', `readConfig(process.env);`],
    ['server/home/home-service.ts', `new Date(dueAtMs).toISOString(); clock.setTimeout(1); ({ setTimeout: 1 });`],
    ['server/home/home-service.ts', `// Date.now() and setTimeout in a comment\nconst text = 'process.env';`],
  ])('finds nothing wrong in %s: %s', (file, text) => {
    expect(violationsIn(file, text)).toEqual([]);
  });
});
