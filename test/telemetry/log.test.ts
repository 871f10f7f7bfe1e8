import { expect, it } from 'vitest';
import { createLog } from '../../server/telemetry/log.ts';

const written = (use: (log: ReturnType<typeof createLog>) => void, isForReader = false): string => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  use(createLog({ level: 'info', destination, isForReader }));
  return lines.join('');
};

it('writes one JSON line with level, time and fields', () => {
  const line = JSON.parse(written((log) => log.warn({ sinceMs: 3 }, 'redis is away')));

  expect(line).toMatchObject({ level: 'warn', sinceMs: 3, msg: 'redis is away', time: expect.stringMatching(/Z$/) });
});

it.each([
  ['a field by its name', { config: { jwtSecret: 'hunter-2' } }],
  ['a token of a request', { req: { headers: { authorization: 'hunter-2' } } }],
  ['a database URL inside an error', { err: new Error('connect to postgres://kibble:hunter-2@db:5432/x failed') }],
  ['a password with an @ in it', { note: 'redis://:p@hunter-2@cache:6379' }],
  ['a bearer token inside text', { note: 'Authorization: Bearer hunter-2' }],
])('never writes %s', (_, fields) => {
  const text = written((log) => log.error(fields, 'failed'));

  expect(text).toContain('[secret]');
  expect(text).not.toContain('hunter-2');
});

it('writes short lines with the stack for a reader', () => {
  const text = written((log) => log.error({ shard: 3, err: new Error('lost') }, 'dispatcher stopped'), true);

  expect(text).toMatch(/^\d\d:\d\d:\d\d error dispatcher stopped {2}\{"shard":3\}\nError: lost\n/);
});
