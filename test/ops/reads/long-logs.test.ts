import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { yieldToEventLoop } from '../../../server/adapter/machine/system-clock.ts';
import { Modules } from '../../../server/domain/modules.ts';
import { homeDifferences } from '../../../server/ops/offline/verify.ts';
import { playerReads } from '../../../server/ops/reads/player-reads.ts';
import { thingReads } from '../../../server/ops/reads/thing-reads.ts';
import { newHome, type Things } from '../../../shared/home.ts';
import { HOUR_MS, type OpsServer, START_MS, startOpsServer, why } from '../../support/game/ops-server.ts';
import { type Puppet, puppet } from '../../support/modules/puppet.ts';

const EVENTS = 3000;
const THINGS = 100;

/** A long log of two modules, and how the reads fold it. */
const longLog = () => {
  let folded = 0;
  const evolve = {
    set: (_: Puppet, { dueAtMs }: Puppet) => {
      folded += 1;
      return { dueAtMs };
    },
    gone: () => undefined,
  };
  const modules = new Modules([puppet('aa', { evolve }), puppet('bb', { evolve })]);
  const events = Array.from({ length: EVENTS }, (_, place) => {
    const at = 10 * place;
    const name = place % 2 === 0 ? 'aa' : 'bb';
    const thing = `ann~${Math.floor(place / 2) % THINGS}`;
    return { v: 1, seq: place + 1, at, type: `${name}/set`, thing, dueAtMs: at + 100_000 };
  });
  const logged = events.map((event) => ({ event, readAtMs: undefined }));
  const none = async () => [];
  const reads = {
    wholeLog: async () => ({ checkpoint: undefined, events: logged }),
    nowMs: async () => 0,
    things: none,
    thingsByTitle: none,
  };
  const on = { modules, yieldToEventLoop, reads, timers: { find: none } };
  return { on, modules, events, foldedEvents: () => folded };
};

/** The maps of the logs' things that folds make from now on. */
const mapsMade = (): ReadonlySet<Things> => {
  const maps = new Set<Things>();
  const { add } = WeakSet.prototype;
  const spied = vi.spyOn(WeakSet.prototype, 'add').mockImplementation(function (this: WeakSet<WeakKey>, value) {
    if (Object.hasOwn(value as object, 'ann~0')) maps.add(value as Things);
    return add.call(this, value);
  });
  onTestFinished(() => spied.mockRestore());
  return maps;
};

/** The largest growth of `count` from one turn of the event loop to the next, until the work is done. */
const mostInATurn = async (count: () => number, work: () => Promise<unknown>): Promise<number> => {
  let [before, most, isDone] = [count(), 0, false];
  const look = (): void => {
    most = Math.max(most, count() - before);
    before = count();
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isDone = true;
  look();
  return most;
};

it('a search folds a log once for all modules, in parts between which the process does other work', async () => {
  const { on, foldedEvents } = longLog();
  const maps = mapsMade();
  const most = await mostInATurn(foldedEvents, async () => {
    const found = await playerReads.search(on as never, { input: { q: 'ann~0' } } as never);
    expect(found).toMatchObject({ value: { hits: [{ module: 'aa' }, { module: 'bb' }] } });
  });
  expect(foldedEvents()).toBe(EVENTS);
  expect(most).toBeLessThanOrEqual(500);
  expect(maps.size).toBe(2);
});

it('an explanation copies the map of things once, and says of each step what was before', async () => {
  const { on, events } = longLog();
  const maps = mapsMade();
  const call = { parts: { playerId: 'ann' }, input: { module: 'bb', thing: 'ann~7' } };
  const own = events.filter(({ type, thing }) => type === 'bb/set' && thing === 'ann~7');
  const steps = own.map(({ seq, dueAtMs }, place) => ({
    seq,
    dueBeforeMs: own[place - 1]?.dueAtMs,
    dueAfterMs: dueAtMs,
  }));
  const timers = { find: async () => [{ dueAtMs: steps.at(-1)?.dueAfterMs }] };
  const explained = await thingReads.explainThing({ ...on, timers } as never, call as never);
  expect(explained).toMatchObject({ value: { steps } });
  expect(steps).toHaveLength(EVENTS / 2 / THINGS);
  expect(maps.size).toBe(2);
});

it('the checker copies the map of things once for each module of a log', () => {
  const { modules, events } = longLog();
  const maps = mapsMade();
  const home = newHome('ann');
  const found = homeDifferences(modules, { home, checkpoint: undefined, events, dueTimes: [] });
  expect(found).toContainEqual(expect.objectContaining({ at: 'seq', expected: EVENTS, found: 0 }));
  expect(maps.size).toBe(2);
});

/** With the player's own target more than a statement of Postgres may have parameters. */
const TIMERS = 65_535;

let server: OpsServer;
beforeAll(async () => {
  server = await startOpsServer(inject('postgresUrl'), { kinds: [{ kind: 'order', fire: async () => undefined }] });
});
afterAll(() => server.close());

it('a player with more timers than a statement may have parameters is exported, with the acts on each timer', async () => {
  await server.kibble.timers.schedule([
    { kind: 'order', subject: 'newest', owner: 'ann', dueAtMs: START_MS + HOUR_MS },
  ]);
  const { rows } = await server.pool.query('select id from kibble.timer');
  const timerId = String(rows[0]?.id);
  const done = `'completed', 1, 1, 1, 1, 1, 1, 0`;
  await server.pool.query(
    `begin; set local statement_timeout = 0;
     insert into kibble.timer (kind, subject, owner, state, due_at, fire_at, updated_at, revision, attempt, turn, created_at)
     select 'order', 's' || n, 'ann', ${done} from generate_series(2, ${TIMERS}) n;
     commit`,
  );
  await server.ask('cancelTimer', { timerId }, why());
  const { status, body } = await server.ask('exportPlayer', { playerId: 'ann' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ playerId: 'ann', audit: [{ target: `timer:${timerId}`, action: 'cancel' }] });
  expect(body.timers).toHaveLength(TIMERS);
});
