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
    'turn 3, comes again at 0 0 * * * in Europe/Berlin, until 2027-01-15 08:00:00.000',
    'when late: {"late":"skip"}',
    'taken 1 min 5 s late, 2 turns missed before it',
  ]);
});

it('says in a list how each timer comes again', () => {
  const timer = { timerId: '7', kind: 'energy', subject: 'ann', owner: 'ann', state: 'scheduled', turn: 3, attempt: 0 };
  const dated = { dueAtMs: 1_800_000_000_000, fireAtMs: 1_800_000_000_000, isPaused: false, claimedAtMs: undefined };
  const [heads, once, again] = timerTable([
    { ...timer, ...dated, recurrence: undefined } as OpsTimer,
    { ...timer, ...dated, recurrence: { every: { ms: 3_600_000 } } } as OpsTimer,
  ]);
  expect(heads).toMatch(/turn +in call since +comes again$/);
  expect(once).not.toContain('every');
  expect(again).toMatch(/3 +every 1 h$/);
});
