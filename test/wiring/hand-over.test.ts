// One process, one database, a second Kibble: as a hot reload makes it.
import { defineRoom, defineServer, matchMaker, Room, type Server, setDevMode } from '@colyseus/core';
import { prepareServices } from '@colyseus/core/internal';
import { setTransport } from '@colyseus/core/Transport';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createKibble, type Kibble, silent } from '../../server/kibble.ts';
import { createTimers } from '../../server/timers.ts';
import { recordedLog } from '../support/log/logs.ts';
import { hostDatabase } from '../support/postgres/host-database.ts';
import { differencesIn } from '../support/postgres/timer-database.ts';
import { prove } from '../support/properties/prove.ts';

/** A timer that only the sweep finds is later than its grace: a later one was not handed over. */
const LATE_MS = 2000;

/** A request that is refused at once must not block the event loop. */
const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

/** A pool of its own on the database, as each evaluation of a game's module makes one. */
const poolOn = (url: string): Pool => {
  const pool = new Pool({ connectionString: url, max: 8 });
  pool.on('error', () => undefined);
  onTestFinished(() => pool.end());
  return pool;
};

it('under play nothing is done twice, nothing is lost, and nothing is later than the hand-over', async (context) => {
  const { url, pool } = await hostDatabase();
  const fired: { readonly subject: string; readonly by: string; readonly atMs: number }[] = [];
  const make = (by: string): Kibble => {
    const fire = async (timers: readonly { readonly subject: string }[]): Promise<undefined> => {
      fired.push(...timers.map(({ subject }) => ({ subject, by, atMs: Date.now() })));
    };
    const rules = { foods: { 'dog-food': { workMs: 100, xp: 1 } } };
    const kibble = createKibble({
      pool: poolOn(url),
      rules,
      log: silent,
      playerId: ({ sub }: { sub: string }) => sub,
      kinds: [{ kind: 'bread', fire }],
    });
    onTestFinished(() => kibble.lifecycle.shutdown());
    return kibble;
  };
  const [first, second] = [make('first'), make('second')];
  await first.lifecycle.boot();
  let serving = first;

  const startMs = Date.now();
  const breads = Array.from({ length: 150 }, (_, at) => ({
    kind: 'bread',
    subject: `loaf-${at}`,
    owner: `baker-${at % 7}`,
    dueAtMs: startMs + 20 * at,
  }));
  await first.timers.schedule(breads);

  // A player sends a command until it is accepted, as `followHome` does, to whichever Kibble runs.
  let isOver = false;
  const accepted = { feed: 0, grant: 0 };
  const say = async (
    playerId: string,
    type: string,
    payload: Readonly<Record<string, unknown>> & { readonly commandId: string },
  ) => {
    for (;;) {
      const [outcome] = await serving.homes.handle([{ playerId, type, payload }]);
      if (outcome?.ok || outcome?.error.retryable === false) return outcome;
      await turnOfTheLoop();
    }
  };
  const play = async (playerId: string): Promise<void> => {
    const adopted = await say(playerId, 'home:adopt', { commandId: `${playerId}-adopts`, name: 'Rex', species: 'dog' });
    const petId = adopted?.ok && adopted.value.petId;
    for (let turn = 0; !isOver; turn += 1) {
      const order = { playerId, commandId: `${playerId}-gift-${turn}`, items: { 'dog-food': 1 }, reason: 'a gift' };
      while (!(await serving.homes.grant([order]))[0]?.ok) await turnOfTheLoop();
      accepted.grant += 1;
      const fed = await say(playerId, 'home:feed', { commandId: `${playerId}-feeds-${turn}`, petId, food: 'dog-food' });
      if (fed?.ok) accepted.feed += 1;
    }
  };
  const games = ['ann', 'bob', 'cat'].map(play);

  while (fired.length < 40) await turnOfTheLoop();
  await second.lifecycle.boot();
  const bootedAtMs = Date.now();
  serving = second;
  expect(first.health.degraded()).toBeUndefined();
  expect(second.health.degraded()).toEqual([]);
  const firedBefore = fired.length;
  await expect(first.timers.schedule([])).rejects.toMatchObject({ code: 'database/in-use' });
  const gift = { playerId: 'ann', commandId: 'too-late-1', items: { snack: 1 }, reason: 'too late' };
  expect(await first.homes.grant([gift])).toMatchObject([{ ok: false, error: { code: 'server/unavailable' } }]);

  while (fired.length < breads.length) await turnOfTheLoop();
  isOver = true;
  await Promise.all(games);
  expect(fired.map(({ subject }) => subject).sort()).toEqual(breads.map(({ subject }) => subject).sort());
  expect(fired.slice(firedBefore).filter(({ by }) => by === 'first')).toEqual([]);
  expect(firedBefore).toBeLessThan(breads.length);
  for (const { subject, atMs } of fired) {
    const dueAtMs = breads.find((bread) => bread.subject === subject)?.dueAtMs ?? 0;
    expect(atMs - Math.max(dueAtMs, dueAtMs < bootedAtMs ? bootedAtMs : 0), subject).toBeLessThan(LATE_MS);
  }
  const counted = await pool.query(`select count(*) filter (where type = 'feeding-started')::int as feed,
      count(*) filter (where command_id like '%-gift-%')::int as "grant" from kibble.event`);
  expect(counted.rows).toEqual([accepted]);
  expect(accepted.feed).toBeGreaterThan(10);
  expect(await differencesIn(pool)).toEqual([]);
  prove(context, { row: 32, tries: 1, of: 'hand-overs in one process, under play' });
}, 60_000);

it('colyseus/vite, which boots the new module before it shuts the old one down, is served at once', async () => {
  const { url } = await hostDatabase();
  const { log, codes } = recordedLog();
  // As its plugin does: the server of a module is never told to listen.
  setDevMode(true);
  await matchMaker.setup();
  setTransport(new WebSocketTransport({ noServer: true }));
  let current: Server | undefined;
  const ended: string[] = [];
  const load = async (name: string): Promise<Kibble> => {
    const previous = current?.options.database;
    const kibble = createKibble({ pool: poolOn(url), log, playerId: ({ sub }) => sub });
    onTestFinished(() => kibble.lifecycle.shutdown());
    const database = kibble.lifecycle.beside({
      boot: async () => undefined,
      shutdown: async () => void ended.push(name),
    });
    class TownRoom extends Room {}
    current = defineServer({ rooms: { town: defineRoom(TownRoom) }, database });
    await prepareServices(current, previous === undefined);
    if (previous) await matchMaker.hotReload();
    else await matchMaker.accept();
    await previous?.shutdown?.();
    return kibble;
  };
  const beganAtMs = performance.now();
  const kibbles = [await load('one'), await load('two'), await load('three')];
  expect(performance.now() - beganAtMs).toBeLessThan(10_000);
  expect(kibbles.map(({ health }) => health.degraded())).toEqual([undefined, undefined, []]);
  expect(ended).toEqual(['one', 'two']);
  const said = codes().filter((code) => String(code).startsWith('database/'));
  expect(said).toEqual(Array.from({ length: 2 }, () => ['database/in-use', 'database/handed-over']).flat());
  // In this mode its end writes a file.
  setDevMode(false);
  await current?.gracefullyShutdown(false);
  expect(kibbles[2]?.health.degraded()).toBeUndefined();
  expect(ended).toEqual(['one', 'two', 'three']);
}, 30_000);

it('of several that boot at once the last one runs, and the others do not', async () => {
  const { url } = await hostDatabase();
  const make = () => createKibble({ pool: poolOn(url), log: silent, playerId: ({ sub }) => sub });
  const kibbles = [make(), make(), make()];
  await kibbles[0]?.lifecycle.boot();
  const [, one, two] = kibbles;
  const [, last] = await Promise.allSettled([one?.lifecycle.boot(), two?.lifecycle.boot()]);
  expect(last.status).toBe('fulfilled');
  expect(kibbles.map(({ health }) => health.degraded())).toEqual([undefined, undefined, []]);
  await Promise.all(kibbles.map(({ lifecycle }) => lifecycle.shutdown()));
}, 30_000);

it('timers alone take over too, from a game as well, but from no other schema', async () => {
  const { url } = await hostDatabase();
  const game = createKibble({ pool: poolOn(url), log: silent, playerId: ({ sub }) => sub });
  const elsewhere = createKibble({ pool: poolOn(url), schema: 'pets', log: silent, playerId: ({ sub }) => sub });
  const timers = createTimers({ pool: poolOn(url), log: silent, kinds: [] });
  for (const { lifecycle } of [game, elsewhere, timers]) {
    await lifecycle.boot();
    onTestFinished(() => lifecycle.shutdown());
  }
  expect([game, elsewhere, timers].map(({ health }) => health.degraded())).toEqual([undefined, [], []]);
});
