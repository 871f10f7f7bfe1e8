// The story of a pet and a workshop, with seconds instead of hours: `npm run demo`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { Client, type Room } from '@colyseus/sdk';
import type { HomeState } from '../shared/home-state.ts';
import type { EventsMessage, Reply } from '../shared/pets/protocol.ts';
import { type ServerProcess, startServer } from './support/server-process.ts';
import { Timeline } from './support/timeline.ts';

/** A dog eats for 6 s; a hall is built in 5 s by the one builder, a mill in 4 s. */
const rules = {
  starter: { items: { 'dog-food': 10, 'speed-up': 3, 'auto-feed': 3, boost: 2 } },
  foods: { 'dog-food': { workMs: 6000, xp: 10 } },
  cards: {
    'speed-up': { effect: 'cut', workMs: 3000 },
    boost: { effect: 'rate', rate: 2, lastsMs: 2000 },
    'auto-feed': { effect: 'repeat', times: 1 },
  },
  works: {
    starter: { items: { wood: 20 } },
    things: { hall: { limit: 1 }, mill: { limit: 1 } },
    slots: { builders: { base: 1, queue: 1 } },
    activities: {
      upgrade: { on: ['hall'], slot: 'builders', workMs: ['5s', '1h'], takes: { wood: 10 }, gives: { level: 1 } },
      grind: { on: ['mill'], slot: 'builders', workMs: '4s', gives: { 'dog-food': 1 } },
    },
    cards: { 'speed-up': { effect: 'cut', workMs: '3s' } },
  },
};

const folder = mkdtempSync(path.join(os.tmpdir(), 'kibble-demo-'));
const rulesFile = path.join(folder, 'rules.json');
writeFileSync(rulesFile, JSON.stringify(rules));
const env = { PORT: '0', DATA_DIR: path.join(folder, 'data'), RULES_FILE: rulesFile, LOG_LEVEL: 'info' };
const timeline = new Timeline();
let commands = 0;

/** A command and its reply. The same commandId sent again would get the same reply. */
const ask = async (room: Room, type: string, payload: object): Promise<Reply> => {
  const reply = await room.request(type, { commandId: `demo-command-${++commands}`, ...payload });
  timeline.tell(reply.events);
  return reply;
};

const join = async (client: Client, afterSeq?: number): Promise<Room> => {
  const room: Room = await client.joinOrCreate<HomeState>('home', afterSeq === undefined ? {} : { afterSeq });
  room.onMessage('home:token', ({ token }: { token: string }) => {
    client.auth.token = token;
  });
  room.onMessage('home:events', ({ events }: EventsMessage) => timeline.tell(events));
  return room;
};

/** The server of now: a story that ends early must not leave it running. */
let server: ServerProcess | undefined;
// A signal runs no `finally`.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, async () => {
    await server?.stop();
    if (server) rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  });

const tellStory = async (): Promise<void> => {
  timeline.say('A server starts, with its own Postgres and nothing else.');
  server = await startServer(env);
  const client = new Client(server.address);
  await client.auth.signInAnonymously();
  const token = client.auth.token ?? '';
  const room = await join(client, 0);

  timeline.say('You adopt a dog and feed it. A meal takes 6 s (in a real game: 4 h).');
  const { petId } = await ask(room, 'home:adopt', { name: 'Rex', species: 'dog' });
  const fed = await ask(room, 'home:feed', { petId, food: 'dog-food' });
  timeline.begin(fed.nowMs);
  await pass(1000);

  timeline.say('A speed-up card takes 3 s of work off, at once and for good.');
  await ask(room, 'home:use-card', { petId, card: 'speed-up' });
  timeline.say('Two auto-feed cards: when Rex has finished he is fed again, twice.');
  await ask(room, 'home:use-card', { petId, card: 'auto-feed', count: 2 });
  await pass(3000);

  timeline.say('A boost card: twice as fast for 2 s.');
  await ask(room, 'home:use-card', { petId, card: 'boost' });
  timeline.say(
    'In the workshop the hall is upgraded; the mill waits for the only builder. What it grinds is food for Rex.',
  );
  for (const thing of ['hall', 'mill']) await ask(room, 'town:place', { thing });
  await ask(room, 'town:start', { thing: 'hall', activity: 'upgrade' });
  await ask(room, 'town:start', { thing: 'mill', activity: 'grind' });
  await pass(1000);
  const lastSeq = timeline.lastSeq;
  timeline.say('You go away. Then the server is killed (SIGKILL), in the middle of a meal.');
  await room.leave();
  await server.kill();
  await pass(11_000);

  timeline.say('For 11 s nobody was there. Now the server starts again ...');
  server = await startServer(env);
  const returning = new Client(server.address);
  returning.auth.token = token;
  timeline.say('... and you come back. While you were away (each at its exact due time, not late by a millisecond):');
  const back = await join(returning, lastSeq);
  const now = await ask(back, 'home:feed', { petId, food: 'dog-food' });
  timeline.say(
    `Rex has ${(back.state as HomeState).pets.get(petId ?? '')?.xp} xp and eats again, until ${timeline.at(now.dueAt ?? 0)}.`,
  );
  await back.leave();
};

try {
  await tellStory();
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
