import { expect, it } from 'vitest';
import { openPlans } from '../../examples/plan-reminder.ts';
import { DAY_MS, HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const pushes = () => {
  const sent: string[] = [];
  const push = async (playerId: string, text: string) => {
    sent.push(`${playerId}: ${text}`);
  };
  return { sent, push };
};

it('reminds a day after the plan began, also when it was moved', async () => {
  const { sent, push } = pushes();
  const { begin, move, nowMs, pass } = await handCrankedGame('', (host) => openPlans(host, push));
  await begin('1', 'ann', 'Run 5 km', nowMs());
  await begin('2', 'bea', 'Swim', nowMs());
  expect(await move('2', nowMs() + HOUR_MS)).toBe(true);
  await pass(DAY_MS);
  expect(sent).toEqual(['ann: Your plan "Run 5 km" began yesterday. How is it?']);
  expect(await move('1', nowMs())).toBe(false);
  await pass(HOUR_MS);
  expect(sent).toHaveLength(2);
});

it('reminds nobody who has left', async () => {
  const { sent, push } = pushes();
  const { begin, leave, nowMs, pass } = await handCrankedGame('', (host) => openPlans(host, push));
  await begin('1', 'ann', 'Run 5 km', nowMs());
  expect(await leave('ann')).toMatchObject([{ subject: '1' }]);
  await pass(2 * DAY_MS);
  expect(sent).toEqual([]);
});
