import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ServerTime } from '../../../server/cli/load/server-time.ts';
import { holds } from '../../support/property-runs.ts';

it('is never further from the server’s clock than it says, however long the ways were', () => {
  const way = fc.double({ min: 0, max: 500, noNaN: true });
  const probes = fc.array(fc.record({ there: way, back: way, pauseMs: way }), { minLength: 1, maxLength: 40 });
  holds([fc.integer({ min: 0, max: 1e12 }), probes], (offsetMs, asked) => {
    const time = new ServerTime();
    let nowMs = 0;
    for (const { there, back, pauseMs } of asked) {
      nowMs += pauseMs;
      time.add(nowMs, nowMs + there + back, Math.floor(nowMs + there + offsetMs));
      nowMs += there + back;
    }

    expect(Math.abs((time.at(nowMs) ?? Number.NaN) - (nowMs + offsetMs))).toBeLessThanOrEqual(
      (time.errorMs ?? 0) + 1e-3,
    );
  });
});

it('knows nothing before it has asked', () => {
  expect(new ServerTime().at(5)).toBeUndefined();
  expect(new ServerTime().errorMs).toBeUndefined();
});
