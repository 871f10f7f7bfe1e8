import { expect, it } from 'vitest';
import { ManualClock } from '../../server/runtime/manual-clock.ts';
import { throttle } from '../../server/runtime/throttle.ts';

it('tells once a minute for each name, and how often it did not in between', () => {
  const clock = new ManualClock(0);
  const isTime = throttle(clock);
  const said: string[] = [];
  for (let second = 0; second < 120; second += 1) {
    for (const name of ['a', 'b']) {
      const told = isTime(name);
      if (told) said.push(`${name} ${second} ${told.leftOut}`);
    }
    clock.advance(1000);
  }
  expect(said).toEqual(['a 0 0', 'b 0 0', 'a 60 59', 'b 60 59']);
});
