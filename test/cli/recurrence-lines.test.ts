import { expect, it } from 'vitest';
import { recurrenceLines, timerTable } from '../../server/cli/console/lines.ts';
import type { OpsTimer } from '../../shared/ops/ops-timer.ts';

const lines = (fields: Partial<OpsTimer>) =>
  recurrenceLines({ turn: 3, recurrence: undefined, misfire: undefined, lateness: undefined, ...fields } as OpsTimer);

it('says how a timer comes again, and how late it was; nothing of one that comes once', () => {
  expect(lines({})).toEqual([]);
  expect(lines({ recurrence: { every: { ms: 5_400_000, times: 9 } } })).toEqual([
    'turn 3, comes again every 1 h 30 min, 9 times',
  ]);
  const cron = { expression: '0 0 * * *', timeZone: 'Europe/Berlin', untilMs: 1_800_000_000_000 };
  expect(
    lines({
      recurrence: { cron },
      misfire: { late: 'skip' },
      lateness: { lateMs: 65_000, missed: 2, isMisfire: false },
    }),
  ).toEqual([
    'turn 3, comes again at 0 0 * * * in Europe/Berlin, until 2027-01-15 08:00:00.000Z',
    'when late: {"late":"skip"}',
    'taken 1 min 5 s late, 2 turns missed before it',
  ]);
});

it('has a column for how timers come again, empty for those that come once', () => {
  const timer = { timerId: '7', kind: 'order', subject: 's', owner: 'o', state: 'scheduled', dueAtMs: 0, fireAtMs: 0 };
  const timers = [
    { ...timer, attempt: 0, turn: 3, recurrence: { every: { ms: 3_600_000 } } },
    { ...timer, attempt: 0, turn: 1 },
  ];
  const [head = '', ...rows] = timerTable(timers as unknown as OpsTimer[]);
  const at = head.indexOf('comes again');
  expect(rows.filter((row) => /\d/.test(row)).map((row) => row.slice(at).trim())).toEqual(['every 1 h', '']);
});
