import { expect, it } from 'vitest';
import { OutageLog, RedisUnfit, troubleOf } from '../../../../server/adapter/redis/link/redis-trouble.ts';
import { ManualClock } from '../../../../server/runtime/manual-clock.ts';

const AWAY = troubleOf(new Error('connect ECONNREFUSED'));
const FULL = troubleOf(new Error("OOM command not allowed when used memory > 'maxmemory'."));

const watched = () => {
  const clock = new ManualClock(0);
  const lines: unknown[] = [];
  const add = (fields: object): void => {
    lines.push('code' in fields ? fields.code : fields);
  };
  const { note } = new OutageLog({ clock, log: { info: add, warn: add, error: add } });
  return { clock, lines, note };
};

it('has one line for an outage of thousand failures, and one for its end', () => {
  const { clock, lines, note } = watched();
  note(undefined);
  for (let at = 0; at < 1000; at += 1) note(AWAY);
  expect(lines).toEqual(['redis/away']);
  for (let at = 0; at < 10; at += 1) {
    note(undefined);
    clock.advance(1000);
  }
  expect(lines).toEqual(['redis/away', 'redis/back']);
  note(AWAY);
  expect(lines).toHaveLength(3);
});

it('has one pair of lines for a server that comes and goes twice a second for an hour', () => {
  const { clock, lines, note } = watched();
  for (let at = 0; at < 7200; at += 1) {
    note(at % 2 === 0 ? FULL : undefined);
    clock.advance(500);
  }
  clock.advance(10_000);
  expect(lines).toEqual(['redis/out-of-memory', 'redis/back']);
});

it('says once what else went wrong in the meantime', () => {
  const { lines, note } = watched();
  for (const trouble of [AWAY, FULL, AWAY, FULL]) note(trouble);
  expect(lines).toEqual(['redis/away', 'redis/out-of-memory']);
});

it.each([
  ['WRONGPASS invalid username-password pair or user is disabled.', 'redis/refused', 'REDIS_URL'],
  ['Ready check failed: NOAUTH Authentication required.', 'redis/refused', 'REDIS_URL'],
  ["NOPERM this user has no permissions to run the 'info' command", 'redis/refused', 'REDIS_PREFIX'],
  ["READONLY You can't write against a read only replica.", 'redis/read-only', 'master'],
  ["OOM command not allowed when used memory > 'maxmemory'.", 'redis/out-of-memory', 'maxmemory'],
  ['connect ECONNREFUSED 127.0.0.1:9', 'redis/away', 'REDIS_URL'],
])('says what is wrong and what to do: %s', (text, code, names) => {
  const trouble = troubleOf(new Error(text));
  expect(trouble.code).toBe(code);
  expect(trouble.message).toContain(names);
});

it('finds the reason behind what a Cluster says, and keeps what was found before', () => {
  const cluster = Object.assign(new Error('Failed to refresh slots cache.'), {
    lastNodeError: new Error('WRONGPASS invalid username-password pair'),
  });
  expect(troubleOf(cluster).code).toBe('redis/refused');
  expect(troubleOf(new RedisUnfit(FULL))).toMatchObject(FULL);
});
