import { expect, it } from 'vitest';
import { asked, askedBefore, judgeAnswers, judgeEnd, judgeJoins, servingMs } from './answers.ts';
import type { Attempt, PlayerEvidence } from './evidence/evidence.ts';

const FAULT = { fromMs: 10_000, toMs: 20_000, struckGateway: 'struck' };

const attempt = (sentAtMs: number, tookMs: number, more: Partial<Attempt> = {}): Attempt => ({
  gateway: 'living',
  sentAtMs,
  endedAtMs: sentAtMs + tookMs,
  outcome: { kind: 'rejected', code: 'no-such-pet', retryable: false },
  ...more,
});

const judge = (attempts: readonly Attempt[]): readonly string[] =>
  judgeAnswers(asked(attempts, FAULT), askedBefore(attempts, FAULT)).map(({ what }) => what);

it('finds nothing where half of the answers came within a second', () => {
  expect(judge([attempt(1_000, 5), attempt(11_000, 1_000), attempt(12_000, 1_000), attempt(13_000, 3_000)])).toEqual(
    [],
  );
});

it('tells slow answers beside what they took before', () => {
  expect(judge([attempt(1_000, 40), attempt(11_000, 900), attempt(12_000, 1_001)])).toEqual([
    'half of the answers took 1001 ms or more, before 40 ms',
  ]);
});

it('tells of a command that a living gateway did not answer, and not of the struck one’s', () => {
  const unknown = { kind: 'unknown', why: 'no answer' } as const;
  expect(
    judge([
      attempt(11_000, 5),
      attempt(12_000, 5),
      attempt(13_000, 3_500, { outcome: unknown }),
      attempt(14_000, 3_500, { outcome: unknown, gateway: 'struck' }),
    ]),
  ).toEqual(['a living gateway, living, gave no outcome: {"kind":"unknown","why":"no answer"}']);
});

it('tells of a join that a living gateway refused while another one was struck', () => {
  const refused = [
    { gateway: 'living', atMs: 9_000, why: '521 drain' },
    { gateway: 'living', atMs: 12_000, why: '4212 no seat' },
    { gateway: 'struck', atMs: 12_000, why: '4212 no seat' },
  ];
  expect(judgeJoins(refused, FAULT)).toEqual([
    { playerId: '', what: 'a living gateway, living, refused a join: 4212 no seat' },
  ]);
});

it('takes no command that was sent before the store was back for one that was served since', () => {
  const reply = { seq: 1, events: [] } as never;
  const accepted = (sentAtMs: number, tookMs: number) =>
    attempt(sentAtMs, tookMs, { outcome: { kind: 'accepted', reply } });
  const back = { gateways: ['living'], backAtMs: [10_000] };
  expect(servingMs([accepted(9_995, 10)], back)).toEqual([Number.POSITIVE_INFINITY]);
  expect(servingMs([accepted(9_995, 10), accepted(10_020, 30)], back)).toEqual([50]);
});

it('tells of a command that has no outcome at the end', () => {
  const unknown = { outcome: { kind: 'unknown', why: 'no answer' } } as const;
  const command = (commandId: string, ...attempts: Attempt[]) => ({ commandId, type: 'home:feed', attempts });
  const commands = [
    command('answered', attempt(1_000, 5, unknown), attempt(2_000, 5)),
    command('lost', attempt(1_000, 5, unknown)),
    command('unsent'),
  ];
  expect(judgeEnd([{ playerId: 'ann', commands } as unknown as PlayerEvidence])).toEqual([
    { playerId: 'ann', what: 'command lost home:feed was never answered' },
    { playerId: 'ann', what: 'command unsent home:feed was never answered' },
  ]);
});
