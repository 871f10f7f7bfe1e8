import { describe, expect, it } from 'vitest';
import { HandOffLog } from '../../bench/strategies/hand-off-log.ts';
import { planFrom } from '../../bench/strategies/plan.ts';
import { spreadOfFigure } from '../../bench/strategies/result/results.ts';

describe('the log of hand-offs', () => {
  const logAt = (nowMs: number): HandOffLog => {
    const log = new HandOffLog(() => nowMs);
    log.expect(10, [100, 200, 300]);
    return log;
  };

  it('knows how late each was, and leaves out the first', async () => {
    const log = logAt(310);
    log.note([12, 10, 11]);
    await log.waitForAll();
    expect(log.lateness(1)).toEqual({ lateP50: 60, lateP99: expect.closeTo(109), lateMax: 110 });
  });

  it.each([
    ['early', 299, [10, 11, 12]],
    ['twice', 310, [10, 11, 12, 11]],
    ['that nobody scheduled', 310, [10, 11, 12, 13]],
  ])('refuses a fire %s', (_, nowMs, ids) => {
    const log = logAt(nowMs);
    log.note(ids);
    expect(() => log.lateness(0)).toThrow();
  });
});

it('a figure is the median of the rounds that have it, and made of what each round measured', () => {
  const measurements = [1, 2, 30].map((scheduleCpu, round) => ({
    contender: 'ring in memory',
    pending: 10,
    round,
    figures: { scheduleCpu, ...(round < 2 && { fireCpu: 10 }) },
  }));
  const of = (figure: string) => spreadOfFigure({ measurements }, { contender: 'ring in memory', pending: 10, figure });

  expect(of('scheduleCpu')).toEqual({ median: 2, min: 1, max: 30 });
  expect(of('lifeCpu')).toEqual({ median: 11.5, min: 11, max: 12 });
  expect(of('moveCpu')).toBeUndefined();
});

describe('the command line', () => {
  it('chooses sizes, rounds and contenders', () => {
    const { blocks, isWhole } = planFrom(['--pending', '5,6', '--rounds', '3', '--only', 'zset']);

    const round = { names: ['one ZSET, polled', '16 ZSETs, polled'], isCallsAlone: false };
    expect(blocks).toMatchObject([5, 6].map((pending) => ({ pending, rounds: [round, round, round] })));
    expect(isWhole).toBe(false);
  });

  it('records only what has all numbers of waiting timers', () => {
    expect(planFrom(['--rounds', '2']).isWhole).toBe(true);
    expect(planFrom(['--pending', '1000000']).isWhole).toBe(false);
  });

  it.each([[['--only', 'heap']], [['--rounds', '0']], [['--pending', 'many']], [['--fast']]])(
    'refuses %j',
    (args: string[]) => {
      expect(() => planFrom(args)).toThrow();
    },
  );
});
