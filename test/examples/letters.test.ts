import { expect, it } from 'vitest';
import { letters, toAll } from '../../examples/letters.ts';
import { createKibble } from '../../server/kibble.ts';
import { DAY_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';

const game = async () => {
  const opened = await handCrankedGame('', (host) => ({
    kibble: createKibble({ ...host, playerId: ({ sub }) => sub, modules: [letters] }),
  }));
  const { kibble } = opened;
  const to = (instant: string) => opened.pass(Date.parse(instant) - opened.nowMs());
  const home = async (player: string) => (await kibble.homes.look([player]))[0]?.home;
  const lettersOf = async (player: string) => Object.keys((await home(player))?.things.letters ?? {});
  const send = async (players: readonly string[], id: string, letter = { title: 'Thanks', reward: { gold: 5 } }) =>
    (await kibble.homes.handle(toAll(players, id, letter))).map((one) => (one.ok ? 'sent' : one.error.code));
  const open = async (playerId: string, letter: string) => {
    const payload = { commandId: `${playerId} opens ${letter}`, letter };
    const [outcome] = await kibble.homes.handle([{ playerId, type: 'letters:open', payload }]);
    return outcome?.ok ? 'opened' : outcome?.error.code;
  };
  await to('2026-10-20T12:00Z');
  return { ...opened, to, home, lettersOf, send, open };
};

it('a letter that is sent twice arrives once, and gives its reward once', async () => {
  const { send, lettersOf, open, home } = await game();
  expect(await send(['ann', 'bob'], 'thanks')).toEqual(['sent', 'sent']);
  expect(await send(['ann', 'bob', 'cid'], 'thanks')).toEqual(['sent', 'sent', 'sent']);
  const [letter = '', ...others] = await lettersOf('ann');
  expect(others).toEqual([]);
  expect(await open('ann', letter)).toBe('opened');
  expect((await home('ann'))?.items).toEqual({ gold: 5 });
  expect(await open('bob', letter)).toBe('letters/gone');
  expect(await lettersOf('ann')).toEqual([]);
  // Opened, and then sent once more: it was in this home already.
  await send(['ann'], 'thanks');
  expect(await lettersOf('ann')).toEqual([]);
});

it('is gone on the seventh midnight, though clocks changed in between', async () => {
  const { send, to, lettersOf, open, home } = await game();
  await send(['ann'], 'thanks');
  await to('2026-10-26T22:59:59.999Z');
  const [letter = ''] = await lettersOf('ann');
  expect(letter).not.toBe('');
  await to('2026-10-26T23:00Z');
  expect([await lettersOf('ann'), await open('ann', letter)]).toEqual([[], 'letters/gone']);
  expect((await home('ann'))?.items).toEqual({});
});

it.each([
  ['2026-10-22T22:00Z', '2026-10-29T23:00Z'],
  ['2027-03-25T22:30Z', '2027-03-31T22:00Z'],
])('sent at %s, about midnight of a week in which clocks change, is gone at %s', async (sent, gone) => {
  const { send, to, lettersOf } = await game();
  await to(sent);
  await send(['ann'], 'thanks');
  await to(new Date(Date.parse(gone) - 1).toISOString());
  expect(await lettersOf('ann')).toHaveLength(1);
  await to(gone);
  expect(await lettersOf('ann')).toEqual([]);
});

it('is refused where fifty lie unopened, and with a reward that is no item', async () => {
  const { send, pass } = await game();
  for (let at = 0; at < 50; at += 1) await send(['ann'], `letter ${at}`);
  expect(await send(['ann', 'bob'], 'one more')).toEqual(['letters/full', 'sent']);
  await pass(7 * DAY_MS);
  expect(await send(['ann'], 'later')).toEqual(['sent']);
  const odd = { title: 'Odd', reward: { gold: 1, constructor: 5 } };
  expect(await send(['ann'], 'odd', odd as never)).toEqual(['command/invalid']);
});
