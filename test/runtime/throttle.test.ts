import { expect, it } from 'vitest';
import { ManualClock } from '../../server/runtime/manual-clock.ts';
import { throttle } from '../../server/runtime/throttle.ts';

it('says yes once a minute for each name', () => {
  const clock = new ManualClock(0);
  const isTime = throttle(clock);
  const said: string[] = [];
  for (let second = 0; second < 120; second += 1) {
    for (const name of ['a', 'b']) if (isTime(name)) said.push(`${name} ${second}`);
    clock.advance(1000);
  }
  expect(said).toEqual(['a 0', 'b 0', 'a 60', 'b 60']);
});
