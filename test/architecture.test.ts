import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { violationsIn } from './support/source/architecture.ts';
import { escapesIn } from './support/source/escapes.ts';
import { cyclesIn, floorsOf, LONGEST_WALK } from './support/source/graph.ts';
import { LARGEST_FOLDER, measureHouse } from './support/source/house.ts';
import { functionsIn, LONGEST_FILE, LONGEST_FUNCTION, linesOf } from './support/source/lengths.ts';
import { LARGEST_PORT, portsIn } from './support/source/ports.ts';

const root = path.dirname(import.meta.dirname);
const house = measureHouse(root);

describe('the house', () => {
  it('has every import point inward, and one home each for clock, timers, random and environment', () => {
    expect(house.rooms.size).toBeGreaterThan(40);
    expect(house.faults).toEqual([]);
  });

  it(`has no folder with more than ${LARGEST_FOLDER} files of its own`, () => {
    expect([...house.sizes].filter(([, size]) => size > LARGEST_FOLDER)).toEqual([]);
    expect(house.sizes.get('server')).toBeGreaterThan(0);
  });

  it(`has no file of more than ${LONGEST_FILE} lines and no function of more than ${LONGEST_FUNCTION} in what is shipped`, () => {
    const { longFiles, longFunctions } = house;
    expect(longFiles.filter(({ lines }) => lines > LONGEST_FILE)).toEqual([]);
    expect(longFunctions.filter(({ lines }) => lines > LONGEST_FUNCTION)).toEqual([]);
    expect(longFiles.length).toBeGreaterThan(400);
    expect(longFunctions.length).toBeGreaterThan(2000);
  });

  it(`has no port with more than ${LARGEST_PORT} methods`, () => {
    expect(house.ports.filter(({ methods }) => methods > LARGEST_PORT)).toEqual([]);
    expect(house.ports.map(({ name }) => name)).toEqual(expect.arrayContaining(['DueOrders', 'RowPages', 'HomeStore']));
  });

  it('returns what a callback finds: nothing of the server leaves one by a `let`', () => {
    expect(house.escapes).toEqual([]);
  });

  it('has no folders that import each other, and in what is shipped no files, not even by types', () => {
    expect(house.roomCycles).toEqual([]);
    expect(house.fileCycles).toEqual([]);
  });
});

describe.each(['ARCHITECTURE.md', 'docs/invariants.md'])('%s', (name) => {
  const page = readFileSync(path.join(root, name), 'utf8');
  const named = [...page.matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, file = '']) => file);

  it('names files and folders that are there', () => {
    expect(named.length).toBeGreaterThan(60);
    // `home/` beside `server/home/`: a sub-room, under its room's name.
    const isPath = (file: string): boolean => file.includes('.') || file.split('/').length > 2;
    expect(
      named.filter((file) => isPath(file) && !file.startsWith('lua/') && !existsSync(path.join(root, file))),
    ).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');

  it('names beside them files that are somewhere', () => {
    const short = [...page.matchAll(/`([\w-]+\.(?:ts|tsx|lua))`/g)].map(([, file = '']) => file);
    expect(short.length).toBeGreaterThan(20);
    expect(short.filter((file) => !house.files.some((one) => one.endsWith(`/${file}`)))).toEqual([]);
  });

  it(`walks with a feed through ${LONGEST_WALK} files at most, each of them there, and climbs once`, () => {
    const { files, climbs } = house.feed;
    expect(files.filter((file) => !house.files.includes(file))).toEqual([]);
    expect(files.length).toBeGreaterThan(20);
    expect(files.length).toBeLessThanOrEqual(LONGEST_WALK);
    expect(climbs).toBe(1);
  });

  it('says of every room of the server what it does', () => {
    const rooms = [...house.rooms.keys()].filter((room) => /^server\/[\w-]+$/.test(room));
    expect(rooms.filter((room) => !page.includes(`| \`${room}/\` |`))).toEqual([]);
  });
});

describe('the measures themselves', () => {
  const graph = (arrows: Readonly<Record<string, string>>) =>
    new Map(Object.entries(arrows).map(([from, to]) => [from, new Set(to === '' ? [] : to.split(' '))]));

  it('see a cycle of two and one of three, and none where ways only meet', () => {
    expect(cyclesIn(graph({ a: 'b', b: 'a', c: 'a' }))).toEqual([['a', 'b']]);
    expect(cyclesIn(graph({ a: 'b', b: 'c', c: 'a', d: 'a' }))).toEqual([['a', 'b', 'c']]);
    expect(cyclesIn(graph({ a: 'b c', b: 'd', c: 'd', d: '' }))).toEqual([]);
  });

  it('count the lines of functions inside others and of methods, but neither blank lines nor those of a text', () => {
    const text = [
      ...[
        'const outer = () => {',
        '  const sql = `a',
        '  b',
        '  c`;',
        '',
        '  return () => {',
        '    sql;',
        '  };',
        '};',
      ],
      ...['class A {', '  b() {', '  }', '}', ''],
    ].join('\n');
    const found = functionsIn(ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true));
    expect(found).toEqual([
      { name: 'x.ts: outer', lines: 6 },
      { name: 'x.ts: a callback', lines: 3 },
      { name: 'x.ts: b', lines: 2 },
    ]);
    expect(linesOf(text)).toBe(12);
  });

  it('count the methods of what a class implements, where they are declared, and of nothing else', () => {
    const texts = new Map([
      [
        'port.ts',
        'export interface Wide extends Narrow { one(): void; two: () => void; three: string } interface Narrow { four(): void }',
      ],
      ['shape.ts', 'export interface Shape { one(): void }'],
      ['adapter.ts', 'class Adapter implements Wide { }'],
    ]);
    expect(portsIn(texts)).toEqual([
      { name: 'Wide', file: 'port.ts', methods: 2 },
      { name: 'Narrow', file: 'port.ts', methods: 1 },
    ]);
  });

  it('see a result that leaves an awaited callback by a `let`, and neither one that is returned nor a count', () => {
    const escapes = (body: string) =>
      escapesIn(ts.createSourceFile('x.ts', `const f = async () => { ${body} };`, ts.ScriptTarget.Latest, true));
    expect(escapes('let found; await tx(async (q) => { await q(() => { found = 1; }); }); return found;')).toEqual([
      'x.ts: found',
    ]);
    expect(escapes('const found = await tx(async () => { let one; one = 1; return one; }); return found;')).toEqual([]);
    expect(
      escapes('let count = 0; await each(() => { count += 1; }); let over = false; on(() => { over = true; });'),
    ).toEqual([]);
  });

  it('count floors by the longest way down', () => {
    expect([...floorsOf(graph({ a: 'b d', b: 'c', c: 'd', d: '' }))].toSorted()).toEqual([
      ['a', 4],
      ['b', 3],
      ['c', 2],
      ['d', 1],
    ]);
  });
});

describe('the checker itself', () => {
  it.each([
    ['server/domain/settle.ts', `import { x } from '../home/home-service.ts';`],
    ['server/domain/settle.ts', `import type { x } from '../timer/model/timer.ts';`],
    ['server/domain/settle.ts', `import { readFileSync } from 'node:fs';`],
    ['server/timer/fire/worker.ts', `import type { Redis } from 'ioredis';`],
    ['server/timer/fire/worker.ts', `const room = await import('@colyseus/core');`],
    ['server/timer/wheel/slots.ts', `export { x } from '../../domain/decide.ts';`],
    ['server/timer/fire/worker.ts', `type X = import('../../adapter/postgres/store.ts').X;`],
    ['server/timer/model/timer.ts', `import type { x } from '../index/due-index.ts';`],
    ['server/timer/fire/worker.ts', `import type { x } from '../timer-engine.ts';`],
    ['server/runtime/loop.ts', `import type { x } from '../timer/model/timer.ts';`],
    ['server/wiring/lifecycle.ts', `import { x } from '../kibble.ts';`],
    ['server/kibble.ts', `import { x } from './reference/main.ts';`],
    ['server/elsewhere/some.ts', `export const x = 1;`],
    ['server/home/home-service.ts', `import '../adapter/redis/index/redis-keys.ts';`],
    ['server/room/home-room.ts', `import { sql } from '../adapter/postgres/store.ts';`],
    ['server/adapter/redis/redis-live-nodes.ts', `import { room } from '../../room/home-room.ts';`],
    ['shared/work.ts', `import { x } from '../server/domain/decide.ts';`],
    ['server/settings/config.ts', `import { x } from '../telemetry/log.ts';`],
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
    ['server/reference/main.ts', `readConfig(process.env);`],
    ['server/reference/main.ts', `const { env } = process;`],
    ['server/reference/main.ts', `import { env } from 'node:process';`],
  ])('sees what is wrong in %s: %s', (file, text) => {
    expect(violationsIn(file, text)).toHaveLength(1);
  });

  it.each([
    ['server/domain/settle.ts', `import { x } from '../../shared/work.ts'; import { y } from './due-of.ts';`],
    [
      'server/home/home-service.ts',
      `import { x } from '../timer/model/timer.ts'; import { limits } from '../settings/config.ts';`,
    ],
    [
      'server/adapter/redis/index/redis-due-index.ts',
      `import { Redis } from 'ioredis'; import type { x } from '../../../timer/index/due-index.ts';`,
    ],
    [
      'server/reference/main.ts',
      `import { x } from '../room/home-room.ts'; import '../adapter/redis/index/redis-keys.ts';`,
    ],
    ['server/adapter/machine/system-clock.ts', `Date.now(); performance.now(); setTimeout(() => {}, 5);`],
    ['server/adapter/machine/random.ts', `crypto.randomUUID();`],
    ['server/settings/config.ts', `readConfig(process.env);`],
    ['server/home/home-service.ts', `new Date(dueAtMs).toISOString(); clock.setTimeout(1); ({ setTimeout: 1 });`],
    ['server/home/home-service.ts', `// Date.now() and setTimeout in a comment\nconst text = 'process.env';`],
  ])('finds nothing wrong in %s: %s', (file, text) => {
    expect(violationsIn(file, text)).toEqual([]);
  });
});
