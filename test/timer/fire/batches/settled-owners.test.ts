import { describe, expect, it } from 'vitest';
import { settleOwners } from '../../../../server/timer/fire/derived-runner.ts';
import type { Timer } from '../../../../server/timer/model/timer.ts';
import { makeTools, NOW_MS, timerOf, torn } from '../../../support/engine/firing-tools.ts';

describe('owners that are settled', () => {
  /** Settles three owners: of `locked` and `away` nothing is settled, of `due` the settle moves nothing. */
  const settling = async (
    given: readonly Timer[],
    owners: { locked?: string; away?: string; due?: string; alsoDue?: string },
  ) => {
    const calls: unknown[] = [];
    const { tools, events, lines } = makeTools({
      isWorldFault: (error) => error === torn,
      stillDue: async (timers) => {
        calls.push(['read', ...timers.map(({ id }) => id)]);
        return { timers: timers.filter(({ id }) => id === '2' || id === '12'), nowMs: NOW_MS } as never;
      },
      release: async (of) => void calls.push(['release', ...of]),
      hold: async (holds) => void calls.push(['hold', ...holds.map(({ owner }) => owner)]),
    });
    const { locked, away, due, alsoDue } = owners;
    const unsettled = [
      ...(locked ? [{ owner: locked, error: new Error('locked'), isLocked: true }] : []),
      ...(away ? [{ owner: away, error: torn, isLocked: false }] : []),
    ];
    const moved = new Set(given.filter(({ owner }) => owner !== due && owner !== alsoDue).map(({ id }) => id));
    const kind = { kind: 'meal', derived: true, module: 'pets', isRetired: false } as const;
    const { entries, finished } = await settleOwners(
      tools,
      { ...kind, settle: async () => ({ unsettled, moved }) },
      given,
    );
    const told = events.map((event) => ('timers' in event ? [event.type, ...ids(event.timers)] : [event.type]));
    return { calls, finished, told, lines, again: entries.map(({ timerId }) => timerId) };
  };
  const ids = (timers: readonly Timer[]) => timers.map(({ id }) => id);
  const of = (id: string, owner: string, attempt = 0) => timerOf(id, { owner, attempt });

  it('have fired; a home is released where an earlier attempt had failed', async () => {
    const given = [of('4', 'ann'), of('6', 'bob', 1), of('8', 'bob', 2)];
    expect(await settling(given, {})).toEqual({
      ...{ calls: [['release', 'bob']], finished: 3, told: [['fired', '4', '6', '8']], lines: [], again: [] },
    });
  });

  it('are held if a timer is due still, and their home is not released', async () => {
    const given = [of('2', 'ann', 1), of('4', 'ann', 1), of('6', 'bob', 1)];
    expect(await settling(given, { due: 'ann' })).toEqual({
      calls: [
        ['read', '2', '4'],
        ['release', 'bob'],
        ['hold', 'ann'],
      ],
      finished: 3,
      told: [['fired', '4', '6'], ['stuck']],
      lines: [],
      again: ['2'],
    });
  });

  it('are held each by itself where timers of two are due still', async () => {
    const { calls, again } = await settling([of('2', 'ann'), of('12', 'ann'), of('22', 'bob')], { due: 'ann' });
    expect(again).toEqual(['2', '12']);
    expect(calls.at(-1)).toEqual(['hold', 'ann']);
    const two = await settling([of('2', 'ann'), of('12', 'bob')], { due: 'ann', alsoDue: 'bob' });
    expect(two.calls.at(-1)).toEqual(['hold', 'ann', 'bob']);
  });

  it('that nothing could settle have not fired: their timers come again, and are not counted as finished', async () => {
    const given = [of('4', 'ann'), of('6', 'ann'), of('8', 'bob')];
    const { lines, ...seen } = await settling(given, { locked: 'ann', away: 'bob' });
    expect(seen).toEqual({ calls: [], finished: 0, told: [['requeued'], ['requeued']], again: ['4', '6', '8'] });
    expect(lines).toMatchObject([{ err: torn, kind: 'order', count: 1 }]);
    const some = await settling([...given, of('10', 'cid')], { locked: 'ann', away: 'bob' });
    expect([some.finished, some.told.at(0)]).toEqual([1, ['fired', '10']]);
  });
});
