import { describe, expect, it } from 'vitest';
import { lawsOfTheLog } from '../../testing/laws-of-the-log.ts';
import { lawsOfTime } from '../../testing/laws-of-time.ts';
import { PROPERTY_RUNS } from '../support/properties/property-runs.ts';
import { smallWorld } from '../support/properties/small-world.ts';

describe.each([
  ['of the log', lawsOfTheLog],
  ['of time', lawsOfTime],
])('the laws %s', (_name, laws) => {
  it.each(laws.map((law) => [law.title, law] as const))('%s', (_title, law) => {
    expect(law.counterexample(smallWorld, PROPERTY_RUNS)).toBe(undefined);
  });
});
