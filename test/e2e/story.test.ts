import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../examples/support/server-process.ts';
import { eventsMessage, reply, syncReply } from '../../shared/pets/protocol.ts';
import { timeReply, tokenMessage } from '../../shared/protocol.ts';
import { joinHome } from '../support/game/player.ts';

/** A meal takes half a second. */
const rules = {
  starter: { items: { 'dog-food': 5, 'speed-up': 2, 'auto-feed': 2, boost: 1 } },
  foods: { 'dog-food': { workMs: 500, xp: 10 }, feast: { workMs: 3_600_000, xp: 50 } },
};

let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-story-'));
  writeFileSync(path.join(folder, 'rules.json'), JSON.stringify(rules));
  server = await startServer({
    PORT: '0',
    DATA_DIR: path.join(folder, 'data'),
    RULES_FILE: path.join(folder, 'rules.json'),
  });
}, 60_000);

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('on embedded defaults, with nothing but the SDK', () => {
  it('a player adopts, feeds, chains, and is told of each completion at its due time', async () => {
    const player = await joinHome(server.address);
    const { petId = '' } = await player.ask('home:adopt', { name: 'Rex', species: 'dog' });
    const fed = await player.ask('home:feed', { petId, food: 'dog-food' });
    await player.ask('home:use-card', { petId, card: 'auto-feed', count: 2 });
    const last = await player.saw((event) => event.type === 'feeding-completed' && event.totalXp === 30);
    expect(last.at).toBe((fed.dueAt ?? 0) + 2 * 500);
    expect(player.state.pets.get(petId)).toMatchObject({ xp: 30, level: 2, food: '', dueAt: 0, autoFeeds: 0 });
    expect(player.events.map((event) => event.seq)).toEqual(player.events.map((_, at) => at + 1));
    await player.room.leave();
  });

  it('what it answers and pushes is what the protocol says, to the letter', async () => {
    const player = await joinHome(server.address);
    const pushed: unknown[] = [];
    player.room.onMessage('home:events', (message) => pushed.push(message));
    const answer = await player.room.request('home:adopt', {
      commandId: 'letter-by-letter',
      name: 'Rex',
      species: 'dog',
    });
    expect(reply.parse(answer)).toEqual(answer);
    const log = await player.room.request('home:sync', { afterSeq: 0, limit: 1 });
    expect(syncReply.parse(log)).toMatchObject({ seq: 2, truncated: true, events: [{ type: 'items-granted' }] });
    expect(timeReply.parse(await player.room.request('home:time', {})).nowMs).toBeGreaterThan(0);
    expect(tokenMessage.parse({ token: player.token }).token).not.toBe('');
    await expect.poll(() => pushed.length).toBeGreaterThan(0);
    for (const message of pushed) eventsMessage.parse(message);
    await player.room.leave();
  });

  it('two devices get every event once and in order, whoever asked; a stranger gets nothing', async () => {
    const phone = await joinHome(server.address, { join: { afterSeq: 0 } });
    const tablet = await joinHome(server.address, { token: phone.token, join: { afterSeq: 0 } });
    const stranger = await joinHome(server.address, { join: { afterSeq: 0 } });
    const { petId = '' } = await phone.ask('home:adopt', { name: 'Rex', species: 'dog' });
    await tablet.ask('home:feed', { petId, food: 'dog-food' });
    await Promise.all([
      phone.ask('home:use-card', { petId, card: 'auto-feed' }),
      tablet.ask('home:use-card', { petId, card: 'auto-feed' }),
    ]);
    for (const device of [phone, tablet]) {
      const end = await device.saw((event) => event.type === 'feeding-completed' && event.totalXp === 30);
      expect(device.events.map((event) => event.seq)).toEqual(Array.from({ length: end.seq }, (_, at) => at + 1));
    }
    expect(stranger.events).toEqual([]);
    await Promise.all([phone, tablet, stranger].map((player) => player.room.leave()));
  });

  it('a client that was away gets all that it missed, behind its own cursor', async () => {
    const before = await joinHome(server.address);
    const { petId = '' } = await before.ask('home:adopt', { name: 'Rex', species: 'dog' });
    await before.ask('home:feed', { petId, food: 'dog-food' });
    const { seq } = await before.ask('home:use-card', { petId, card: 'auto-feed' });
    const { token } = before;
    await before.room.leave();
    const other = await joinHome(server.address, { token });
    await other.saw((event) => event.type === 'feeding-completed' && event.totalXp === 20);
    await other.room.leave();
    const back = await joinHome(server.address, { token, join: { afterSeq: seq } });
    await back.saw((event) => event.type === 'feeding-completed' && event.totalXp === 20);
    expect(back.events.map((event) => event.type)).toEqual([
      'feeding-completed',
      'feeding-started',
      'feeding-completed',
    ]);
    expect(back.events[0]?.seq).toBe(seq + 1);
    await back.room.leave();
  });
});
