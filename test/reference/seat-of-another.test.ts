import { expect, it } from 'vitest';
import { isSeatOfAnother } from '../../server/reference/game-server.ts';

it.each([
  ['with a seat of another process', '/other/room?sessionId=s', true],
  ['the same below a path', '/gateway-1/other/room?sessionId=s', true],
  ['with a seat of this one', '/own/room?sessionId=s', false],
  ['that reconnects to a process that was there before', '/other/room?sessionId=s&reconnectionToken=t', false],
  ['that only measures the latency', '/', false],
  ['without a path', '', false],
])('knows a client %s', (_what, path, expected) => {
  expect(isSeatOfAnother(path, 'own')).toBe(expected);
});
