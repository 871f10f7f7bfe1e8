import { describe, expect, it } from 'vitest';
import { Throughput } from '../../../server/timer/fire/throughput.ts';

describe('what a lane finished', () => {
  it('in the last second is the sum of what it finished less than a second ago', () => {
    const throughput = new Throughput();
    throughput.begin(0);
    throughput.finish(3, 1000);
    throughput.finish(4, 1500);
    expect(throughput.finishedInLastSecond(1500)).toBe(7);
    expect(throughput.finishedInLastSecond(1999)).toBe(7);
    expect(throughput.finishedInLastSecond(2000)).toBe(4);
    expect(throughput.finishedInLastSecond(2500)).toBe(0);
  });

  it('is counted by tenths of a second: as of the first of each', () => {
    const throughput = new Throughput();
    throughput.finish(1, 1000);
    throughput.finish(1, 1099);
    throughput.finish(1, 1100);
    expect(throughput.finishedInLastSecond(1999)).toBe(3);
    expect(throughput.finishedInLastSecond(2000)).toBe(1);
    expect(throughput.finishedInLastSecond(2100)).toBe(0);
  });
});

it('a lane is busy since it had something to do', () => {
  const throughput = new Throughput();
  throughput.begin(500);
  expect(throughput.busyMs(800)).toBe(300);
});

it('a lane stalls since it had something to do, or finished something', () => {
  const throughput = new Throughput();
  throughput.begin(500);
  expect(throughput.stalledMs(800)).toBe(300);
  throughput.finish(1, 900);
  expect(throughput.stalledMs(1000)).toBe(100);
  throughput.finish(0, 990);
  expect(throughput.stalledMs(1000)).toBe(100);
  throughput.begin(2000);
  expect(throughput.stalledMs(2100)).toBe(100);
});

describe('timers a second, as if what it could be at work on were finished now,', () => {
  it('are of the last second at least', () => {
    const throughput = new Throughput();
    throughput.begin(0);
    throughput.finish(5, 100);
    expect(throughput.perSecond(10, 200)).toBe(15);
    expect(throughput.perSecond(10, 1000)).toBe(15);
  });

  it('are of all the time that it was busy, up to ten seconds', () => {
    const throughput = new Throughput();
    throughput.begin(0);
    throughput.finish(10, 1000);
    throughput.finish(20, 5000);
    expect(throughput.perSecond(0, 5000)).toBe(6);
    expect(throughput.perSecond(10, 10_000)).toBe(4);
    expect(throughput.perSecond(0, 11_000)).toBe(2);
    expect(throughput.perSecond(0, 14_999)).toBe(2);
  });

  it('are never none', () => {
    const throughput = new Throughput();
    throughput.begin(0);
    expect(throughput.perSecond(0, 60_000)).toBe(0.1);
  });
});
