import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../server/runtime/manual-clock.ts';
import { drain } from '../../../../server/timer/timer-engine.ts';

describe('a drain', () => {
  const draining = () => {
    const clock = new ManualClock(0);
    const work = Promise.withResolvers<void>();
    const seen: string[] = [];
    const end = drain({
      work: work.promise,
      abort: () => void seen.push('abort'),
      drainMs: 500,
      after: clock.after,
    }).then(
      () => void seen.push('end'),
      () => void seen.push('failed'),
    );
    return { clock, work, seen, end };
  };

  it('ends with the work, and aborts nothing then', async () => {
    const { clock, work, seen, end } = draining();
    work.resolve();
    await end;
    clock.advance(5000);
    expect(seen).toEqual(['end']);
  });

  it('aborts what is left when its time is over, and ends a second later whatever still runs', async () => {
    const { clock, seen, end } = draining();
    clock.advance(499);
    expect(seen).toEqual([]);
    clock.advance(1);
    expect(seen).toEqual(['abort']);
    clock.advance(999);
    await Promise.resolve();
    expect(seen).toEqual(['abort']);
    clock.advance(1);
    await end;
    expect(seen).toEqual(['abort', 'end']);
  });

  it('fails as the work does', async () => {
    const { work, seen, end } = draining();
    work.reject(new Error('torn'));
    await end;
    expect(seen).toEqual(['failed']);
  });
});
