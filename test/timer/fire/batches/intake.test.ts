import { describe, expect, it } from 'vitest';
import { Intake } from '../../../../server/timer/fire/intake.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import type { TimerStore } from '../../../../server/timer/model/timer-store.ts';
import { makeTools, NOW_MS, timerOf } from '../../../support/engine/firing-tools.ts';
import { quiet } from '../../../support/engine/lane-scene.ts';

describe('the intake', () => {
  /** It reads these rows; the handlers of `order` and `mail` end when the test says so. */
  const makeIntake = (rows: readonly Timer[]) => {
    const ends: (() => void)[] = [];
    let reads = 0;
    const read: TimerStore['read'] = async (refs) => {
      reads += 1;
      return { timers: rows.filter(({ id }) => refs.some(({ timerId }) => timerId === id)), nowMs: NOW_MS };
    };
    const defer: TimerStore['defer'] = async (deferrals) => ({
      timers: rows.flatMap((row) => {
        const deferral = deferrals.find(({ timerId }) => timerId === row.id);
        return deferral ? { ...row, fireAtMs: NOW_MS + deferral.byMs, revision: 2 } : [];
      }),
      nowMs: NOW_MS,
    });
    const made = makeTools({ read, defer, save: async () => [] });
    const { tools } = made;
    const byHand = () => new Promise<undefined>((resolve) => void ends.push(() => resolve(undefined)));
    for (const kind of ['order', 'mail']) tools.kinds.register({ kind, call: byHand });
    const share = { use: <Result>(run: () => Promise<Result>) => run() } as never;
    return { ...made, ends, reads: () => reads, intake: new Intake({ tools, limit: 10, share }) };
  };
  const refs = (rows: readonly Timer[]) => rows.map(({ id, owner }) => ({ timerId: id, owner }));

  it('reads nothing where nothing is delivered', async () => {
    const { intake, reads, changes } = makeIntake([]);
    const { count, settled } = await intake.accept([]);
    await settled;
    expect([count, reads(), changes]).toEqual([0, 0, []]);
  });

  it('counts what enters, and logs a kind without a handler once a minute', async () => {
    const rows = [timerOf('7'), timerOf('9', { kind: 'mail' }), timerOf('11', { kind: 'fax' })];
    const { intake, lines } = makeIntake(rows);
    expect((await intake.accept(refs(rows))).count).toBe(2);
    expect(intake.meetsUnknownKinds).toBe(true);
    expect((await intake.accept(refs(rows.slice(2)))).count).toBe(0);
    expect(lines).toMatchObject([{ level: 'warn', code: 'timer/unknown-kind', kind: 'fax', count: 1 }]);
  });

  it('is not idle while one of its lanes is busy', async () => {
    const rows = [timerOf('7'), timerOf('9', { kind: 'mail' })];
    const { intake, ends } = makeIntake(rows);
    await intake.accept(refs(rows));
    await quiet();
    expect(ends).toHaveLength(2);
    ends[0]?.();
    await quiet();
    let isIdle = false;
    const idle = intake.idle().then(() => {
      isIdle = true;
    });
    await quiet();
    expect(isIdle).toBe(false);
    ends[1]?.();
    await idle;
  });
});
