import { expect, it } from 'vitest';
import { Player } from './player.ts';

it('has a reply before the push that comes with it in one packet', async () => {
  let push: (message: object) => void = () => undefined;
  let answer: (isAccepted: boolean, message: object, isFault: boolean) => void = () => undefined;
  const room = {
    state: { seq: 0 },
    onMessage: (type: string, onPush: typeof push) => {
      if (type === 'home:events') push = onPush;
    },
    sendRequest: (_type: string, _payload: object, _options: object, onReply: typeof answer) => {
      answer = onReply;
      return 1;
    },
    request(type: string, payload: object) {
      return new Promise((resolve) => void this.sendRequest(type, payload, {}, (_, message) => resolve(message)));
    },
  };
  const player = new Player({} as never, room as never);
  const asked = player.ask('home:feed', {});
  answer(true, { events: [{ seq: 1 }] }, false);
  push({ events: [{ seq: 2 }] });
  await asked;
  expect(player.seqs).toEqual([1, 2]);
  expect(player.frames.map(({ type }) => type)).toEqual(['reply', 'home:events']);
});
