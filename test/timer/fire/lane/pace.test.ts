import { describe, expect, it } from 'vitest';
import { Pace } from '../../../../server/timer/fire/lane/pace.ts';

describe('what a lane finished', () => {
  it('in the last second is the sum of what it finished less than a second ago', () => {
    const pace = new Pace();
    pace.begin(0);
    pace.finish(3, 1000);
    pace.finish(4, 1500);
    expect(pace.finishedInLastSecond(1500)).toBe(7);
    expect(pace.finishedInLastSecond(1999)).toBe(7);
    expect(pace.finishedInLastSecond(2000)).toBe(4);
    expect(pace.finishedInLastSecond(2500)).toBe(0);
  });

  it('is counted by tenths of a second: as of the first of each', () => {
    const pace = new Pace();
    pace.finish(1, 1000);
    pace.finish(1, 1099);
    pace.finish(1, 1100);
    expect(pace.finishedInLastSecond(1999)).toBe(3);
    expect(pace.finishedInLastSecond(2000)).toBe(1);
    expect(pace.finishedInLastSecond(2100)).toBe(0);
  });
});

it('a lane is busy since it had something to do', () => {
  const pace = new Pace();
  pace.begin(500);
  expect(pace.busyMs(800)).toBe(300);
});

it('a lane stalls since it had something to do, or finished something', () => {
  const pace = new Pace();
  pace.begin(500);
  expect(pace.stalledMs(800)).toBe(300);
  pace.finish(1, 900);
  expect(pace.stalledMs(1000)).toBe(100);
  pace.finish(0, 990);
  expect(pace.stalledMs(1000)).toBe(100);
  pace.begin(2000);
  expect(pace.stalledMs(2100)).toBe(100);
});

describe('timers a second, as if what it could be at work on were finished now,', () => {
  it('are of the last second at least', () => {
    const pace = new Pace();
    pace.begin(0);
    pace.finish(5, 100);
    expect(pace.perSecond(10, 200)).toBe(15);
    expect(pace.perSecond(10, 1000)).toBe(15);
  });

  it('are of all the time that it was busy, up to ten seconds', () => {
    const pace = new Pace();
    pace.begin(0);
    pace.finish(10, 1000);
    pace.finish(20, 5000);
    expect(pace.perSecond(0, 5000)).toBe(6);
    expect(pace.perSecond(10, 10_000)).toBe(4);
    expect(pace.perSecond(0, 11_000)).toBe(2);
    expect(pace.perSecond(0, 14_999)).toBe(2);
  });

  it('are never none', () => {
    const pace = new Pace();
    pace.begin(0);
    expect(pace.perSecond(0, 60_000)).toBe(0.1);
  });
});
