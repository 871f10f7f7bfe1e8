import type { Client } from '@colyseus/sdk';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type FollowOptions, followHome } from '../../client/follow/follow-home.ts';
import { village } from '../../examples/village.ts';
import { random } from '../../server/adapter/machine/random.ts';
import { createKibble, type Kibble, type KibbleOptions, pets, silent } from '../../server/kibble.ts';
import { defineModule } from '../../shared/module/module.ts';
import type { Reply } from '../../shared/pets/protocol.ts';
import type { ThingsMessage } from '../../shared/protocol.ts';
import { HOUR_MS, handCrankedGame } from '../support/game/hand-cranked-game.ts';
import { startHomeServer } from '../support/game/home-server.ts';
import { ShownThings } from '../support/game/shown-things.ts';
import { hostDatabase } from '../support/postgres/host-database.ts';

type Game = [typeof pets, typeof village];
const PLAYER = 'guest:ann';
const gift = { commandId: 'gift-of-wood', items: { wood: 300, hourglass: 1 }, reason: 'gift' };

/** Notes that are as long as one likes; the one called `broken` has a rule that fails when it is due. */
const notes = defineModule({
  name: 'notes',
  thing: z.object({ text: z.string(), dueAtMs: z.int() }),
  initial: { text: '', dueAtMs: 0 },
  events: { written: z.object({ text: z.string(), dueAtMs: z.int() }), read: z.object({}) },
  commands: { write: z.object({ id: z.string(), bytes: z.int() }) },
}).rules({
  decide: {
    write: ({ payload: { id, bytes }, nowMs }) => [
      { type: 'written', thing: id, text: 'x'.repeat(bytes), dueAtMs: nowMs + HOUR_MS },
    ],
  },
  evolve: { written: (_note, { text, dueAtMs }) => ({ text, dueAtMs }), read: () => undefined },
  dueAtMs: ({ dueAtMs }) => dueAtMs,
  complete: ({ id }) => {
    if (id === 'broken') throw new Error('a rule of the game is broken');
    return [{ type: 'read', thing: id }];
  },
});

/** The room `home` of a server with these modules, and a manual clock. */
const open = async (modules: NonNullable<KibbleOptions['modules']> = [pets(), village]) => {
  const game = await handCrankedGame('', (host) => ({
    kibble: createKibble({ ...host, playerId: ({ sub }: { readonly sub: string }) => sub, modules }) as Kibble,
  }));
  const server = await startHomeServer({ homes: game.kibble.service, modules: game.kibble.modules });
  onTestFinished(() => server.close());
  let commands = 0;
  return {
    ...game,
    server,
    say: async (type: string, payload: object) => {
      const known = { commandId: `said-${type}-${++commands}`, ...payload };
      const [outcome] = await game.kibble.homes.handle([{ playerId: PLAYER, type, payload: known }]);
      return outcome?.ok ? outcome.value : outcome?.error;
    },
    home: async () => (await game.kibble.homes.look([PLAYER]))[0]?.home,
  };
};

/** With nothing but the SDK: what comes by `home:things`, and the order of all that comes. */
const device = async (client: Client, options: object) => {
  const room = await client.joinOrCreate('home', options);
  const shown = new ShownThings();
  const frames: string[] = [];
  const messages: ThingsMessage[] = [];
  for (const type of ['home:token', 'home:rejected', 'home:drain']) room.onMessage(type, () => undefined);
  room.onMessage('home:events', ({ events }: Reply) => frames.push(...events.map(({ seq }) => `event ${seq}`)));
  room.onMessage('home:things', (message: ThingsMessage) => {
    messages.push(message);
    shown.take(message);
    frames.push(`things ${message.seq}`);
  });
  await room.request('home:time', {});
  return { room, shown, frames, messages, ask: (type: string, payload: object) => room.request(type, payload) };
};

const follow = (client: Client, options: Partial<FollowOptions<Game>> = {}) => {
  const follower = followHome<Game>({ client, ...options });
  onTestFinished(() => follower.close());
  return follower;
};

describe('a home of two modules, in one room', () => {
  it('is shown at the join, after each command, and as it became while nobody was there', async () => {
    const { server, say, pass, nowMs, home } = await open();
    await say('home:grant', gift);
    const types: string[] = [];
    const client = await server.client(PLAYER);
    const options = {
      onEvents: (events: readonly { type: string }[]) => types.push(...events.map(({ type }) => type)),
    };
    const follower = follow(client, options);
    const { petId = '' } = await follower.adopt('Rex', 'dog');
    await follower.feed(petId, 'dog-food');
    await follower.command('village:upgrade', { site: 'hall' });
    expect(follower.home?.things.village?.hall).toMatchObject({ dueAt: nowMs() + HOUR_MS, state: { level: 0 } });
    expect(follower.home?.things.pets?.[petId]).toMatchObject({ dueAt: nowMs() + 4 * HOUR_MS, state: { name: 'Rex' } });
    expect(follower.home?.items).toMatchObject({ wood: 290, 'dog-food': 9 });

    await pass(HOUR_MS);
    await expect.poll(() => follower.home?.things.village?.hall).toMatchObject({ dueAt: 0, state: { level: 1 } });
    const cursor = follower.cursor;
    follower.close();
    await say('village:upgrade', { site: 'mill' });
    await pass(3 * HOUR_MS);

    const again = follow(client, { ...options, ...(cursor && { since: cursor }) });
    await expect.poll(() => types.filter((type) => type === 'feeding-completed')).toHaveLength(1);
    expect(types.filter((type) => type === 'village/finished')).toHaveLength(2);
    expect(again.home?.things.village?.mill?.state).toEqual({ level: 1 });
    expect(again.home?.things.pets?.[petId]?.state.feeding).toBeUndefined();
    expect(again.home?.items).toEqual((await home())?.items);
  });

  it('brings the things of a commit before its events, and of a command those that it touched alone', async () => {
    const { server, say } = await open();
    await say('home:grant', gift);
    const { frames, messages, shown, ask } = await device(await server.client(PLAYER), { things: true, afterSeq: 0 });
    await say('village:upgrade', { site: 'hall' });
    await say('village:upgrade', { site: 'mill' });
    const { seq } = await ask('village:use-card', { commandId: 'command-1', site: 'mill', card: 'hourglass' });
    // With the answer to a question everything that was sent before is here.
    await ask('home:time', {});
    expect(messages.map(({ things }) => things.map(({ id }) => id))).toEqual([[], ['hall'], ['mill'], ['mill']]);
    expect(frames).toEqual([
      ...['things 2', 'event 1', 'event 2', 'things 4', 'event 3', 'event 4', 'things 6', 'event 5', 'event 6'],
      `things ${seq}`,
    ]);
    expect(shown.items.hourglass).toBeUndefined();
  });

  it('tells a client that does not ask for things what it always told', async () => {
    const { server, say } = await open();
    await say('home:grant', gift);
    const { frames, messages, room } = await device(await server.client(PLAYER), { afterSeq: 0 });
    await say('home:adopt', { name: 'Rex', species: 'dog' });
    await room.request('home:time', {});
    expect(messages).toEqual([]);
    expect(frames).toEqual(['event 1', 'event 2', 'event 3']);
    expect([...(room.state as { pets: Map<string, { name: string }> }).pets.values()]).toMatchObject([{ name: 'Rex' }]);
  });

  it('goes on in a client that was made before one of the modules', async () => {
    const { server, say } = await open();
    await say('home:grant', gift);
    await say('village:upgrade', { site: 'hall' });
    const outdated: string[] = [];
    const follower = followHome({
      client: await server.client(PLAYER),
      versions: { pets: 1 },
      onOutdated: (module) => outdated.push(module),
    });
    onTestFinished(() => follower.close());
    const { petId = '' } = await follower.adopt('Rex', 'dog');
    expect(follower.home?.things.pets?.[petId]?.state.name).toBe('Rex');
    expect(outdated).toEqual(['village']);
  });
});

it('brings many things in parts of at most 64 kB', async () => {
  const { server, say, home } = await open([pets(), notes]);
  for (let at = 0; at < 30; at += 1) await say('notes:write', { id: `note-${at}`, bytes: 7_000 });
  const { messages, shown } = await device(await server.client(PLAYER), { things: true });
  expect(messages.length).toBeGreaterThanOrEqual(4);
  for (const message of messages) expect(JSON.stringify(message.things).length).toBeLessThanOrEqual(66_000);
  expect(messages.map(({ more }) => more === true)).toEqual(messages.map((_, at) => at < messages.length - 1));
  expect(shown.of('notes')).toEqual({ ...(await home())?.things.notes });
});

it('shows a home that stands still as it stands, with the fault, and what goes on later', async () => {
  const { server, say, pass } = await open([pets(), notes]);
  await say('notes:write', { id: 'broken', bytes: 3 });
  const { shown, ask } = await device(await server.client(PLAYER), { things: true });
  expect(shown.fault).toBeUndefined();
  await pass(HOUR_MS);
  await expect(ask('home:adopt', { commandId: 'command-1', name: 'Rex', species: 'dog' })).rejects.toMatchObject({
    reason: { code: 'module/fault', params: { module: 'notes', thing: 'broken' }, retryable: false },
  });
  await expect.poll(() => shown.fault).toEqual({ module: 'notes', thing: 'broken' });
  expect(shown.of('notes')).toMatchObject({ broken: { text: 'xxx' } });
  const joined = await device(await server.client(PLAYER), { things: true });
  expect(joined.shown.fault).toEqual({ module: 'notes', thing: 'broken' });
});

const redisUrl = inject('redisUrl');

it.skipIf(redisUrl === '')('is shown by one process what another one did', async () => {
  const { pool } = await hostDatabase();
  const redisPrefix = random.uniqueName();
  const process = () =>
    createKibble({
      ...{ pool, redis: redisUrl, redisPrefix, log: silent, modules: [pets(), village] },
      playerId: ({ sub }: { readonly sub: string }) => sub,
    });
  const [here, there] = [process(), process()];
  await here.lifecycle.boot();
  await there.lifecycle.boot();
  const server = await startHomeServer({ homes: here.service, modules: here.modules });
  onTestFinished(async () => {
    await server.close();
    await there.lifecycle.shutdown();
    await here.lifecycle.shutdown();
  });
  const { messages, shown } = await device(await server.client(PLAYER), { things: true });
  await there.homes.handle([{ playerId: PLAYER, type: 'home:grant', payload: gift }]);
  for (const site of ['hall', 'mill'] as const) {
    const payload = { commandId: `upgrade-${site}`, site };
    await there.homes.handle([{ playerId: PLAYER, type: 'village:upgrade', payload }]);
  }
  const [view] = await there.homes.look([PLAYER]);
  await expect.poll(() => shown.seq).toBe(view?.home.seq);
  expect(shown.of('village')).toEqual({ ...view?.home.things.village });
  expect(shown.items).toEqual(view?.home.items);
  expect(messages.at(-1)?.things.map(({ id }) => id)).toEqual(['mill']);
});
