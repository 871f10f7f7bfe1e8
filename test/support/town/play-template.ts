import { once } from 'node:events';
import { Client, type Room } from '@colyseus/sdk';
import { expect, inject } from 'vitest';
import { requestText, sendRaw, statusOf } from '../machine/raw-http.ts';
import { createDatabase } from '../postgres/postgres-server.ts';
import type { PackedTemplate } from './packed-template.ts';
import { freePort } from './packed-town.ts';

/** Plays on a game of Colyseus' template through the SDK, before and after a restart by SIGTERM. */
export const playTheTemplate = async (game: PackedTemplate, file: string): Promise<void> => {
  const database = await createDatabase(inject('postgresUrl'));
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const start = () => game.start(file, { DATABASE_URL: database.url, PORT: String(port) });
  const enter = async () => {
    const client = new Client(address);
    client.auth.token = 'ann';
    return client.joinOrCreate('my_room');
  };

  const first = await start();
  const room = await enter();
  const adopt = { commandId: 'adopt-rex', name: 'Rex', species: 'dog' };
  const { petId, seq } = await room.request('home:adopt', adopt);
  expect(room.state.toJSON()).toEqual({ weather: 'sunny' });
  for (const headers of [{ Host: '[' }, { Host: 'a:99999' }, { 'X-Forwarded-Proto': 'https, http' }]) {
    // Refused by `onAuth`, because the shutdown would wait 15 s for a reserved seat.
    const text = requestText('POST /matchmake/joinOrCreate/my_room', headers);
    expect(statusOf(await sendRaw(address, text))).toBe('Host' in headers ? 400 : 523);
  }
  expect((await fetch(`${address}/hi`, { method: 'POST', headers: { origin: 'https://evil.example' } })).status).toBe(
    403,
  );
  const endOf = (one: Room): Promise<number> => {
    one.reconnection.enabled = false;
    return new Promise((resolve) => one.onLeave(resolve));
  };
  // A request whose number is cut off: without the plugin's guard its client would stay.
  const other = await enter();
  const isEnded = endOf(other);
  other.connection.send(Uint8Array.of(21, 0xcb));
  expect(await isEnded).toBe(4002);
  expect(await room.request('home:adopt', adopt)).toMatchObject({ petId });
  const left = endOf(room);
  const ended = once(first, 'exit');
  first.kill('SIGTERM');
  expect(await left).toBe(4001);
  expect(await ended).toEqual([0, null]);

  const second = await start();
  const back = await enter();
  expect(await back.request('home:adopt', adopt)).toMatchObject({ petId, seq });
  await back.leave();
  second.kill('SIGTERM');
  expect(await once(second, 'exit')).toEqual([0, null]);
  await database.drop();
};
