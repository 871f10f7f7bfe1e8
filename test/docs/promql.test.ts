import { expect, it } from 'vitest';
import { groupingsIn, selectorsIn } from '../support/metrics/metrics.ts';

it('finds the series and their matchers, and no function, keyword, range or label', () => {
  const expression = `histogram_quantile(0.99, sum by (kind, le) (rate(late_bucket{kind=~"a|b", x!="y"}[5m])))
    / max without (job) (other) > 2 and on (job) up == 1`;

  expect(selectorsIn(expression)).toEqual([
    {
      metric: 'late_bucket',
      matchers: [
        { label: 'kind', operator: '=~', value: 'a|b' },
        { label: 'x', operator: '!=', value: 'y' },
      ],
    },
    { metric: 'other', matchers: [] },
    { metric: 'up', matchers: [] },
  ]);
  expect(groupingsIn(expression)).toEqual(['kind', 'le', 'job', 'job']);
});
