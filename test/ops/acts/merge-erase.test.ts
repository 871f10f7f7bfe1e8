import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresRetainedStore } from '../../../server/adapter/postgres/home/retained-store.ts';
import { NotRetryable } from '../../../server/timer/fire/not-retryable.ts';
import { newHome } from '../../../shared/home.ts';
import { LATEST_MS } from '../../../shared/latest-ms.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import { fold, petsModules } from '../../../testing/pets-engine.ts';
import { HOUR_MS, type OpsServer, START_MS, startOpsServer, why } from '../../support/game/ops-server.ts';
import { silentLog } from '../../support/log/logs.ts';

let server: OpsServer;
beforeAll(async () => {
  const fire = () => Promise.reject(new NotRetryable('nothing to remind of'));
  server = await startOpsServer(inject('postgresUrl'), { hasDevTools: true, kinds: [{ kind: 'reminder', fire }] });
});
afterAll(() => server.close());

const adopt = async (playerId: string, name: string): Promise<string> =>
  (await server.play(playerId, { type: 'home:adopt', name, species: 'dog' })).petId ?? '';
const feed = (playerId: string, petId: string) => server.play(playerId, { type: 'home:feed', petId, food: 'dog-food' });
const view = async (playerId: string) => {
  const [seen] = await server.kibble.service.look([playerId]);
  if (!seen) throw new Error('a look at one home answers one');
  return seen;
};
const logOf = async (playerId: string) => {
  const synced = await server.kibble.service.sync(playerId, { afterSeq: 0 });
  if (!synced.ok) throw new Error(synced.error.code);
  return synced.value.events;
};
const rowsWith = async (text: string): Promise<readonly string[]> => {
  const pool = await tablePool();
  const tables = await pool.query("select tablename from pg_tables where schemaname = 'kibble'");
  const found: string[] = [];
  for (const { tablename } of tables.rows as { tablename: string }[]) {
    const { rowCount } = await pool.query(`select from kibble.${tablename} t where position($1 in t::text) > 0`, [
      text,
    ]);
    if (rowCount) found.push(tablename);
  }
  await pool.end();
  return found;
};
const tablePool = async () => {
  const { Pool } = await import('pg');
  return new Pool({ connectionString: server.database.url, max: 1 });
};

const explain = (playerId: string, run: string) => server.ask('explainThing', { playerId }, { module: 'pets', run });

describe('merging a guest into an account', () => {
  it('moves pets, cards and items; what is eaten is due when it was; both logs and both rows agree', async () => {
    const rex = await adopt('guest:1', 'Rex');
    const sleepy = await adopt('guest:1', 'Sleepy');
    const tom = await adopt('account-1', 'Tom');
    await feed('guest:1', rex);
    await server.play('guest:1', { type: 'home:use-card', petId: rex, card: 'boost' });
    await server.play('guest:1', { type: 'home:use-card', petId: rex, card: 'auto-feed', count: 2 });
    await feed('account-1', tom);
    const before = { guest: (await view('guest:1')).home, account: (await view('account-1')).home };
    const due = (await server.kibble.timers.listByOwner('guest:1'))[0]?.dueAtMs;

    const body = why({ into: 'account-1' });
    const merged = await server.ask('merge', { playerId: 'guest:1' }, body);
    expect(merged).toMatchObject({ status: 200, body: { answer: { aboveLimit: [], left: [] } } });
    const pets = Object.fromEntries(merged.body.answer.moved.map(({ thing, becomes }) => [thing, becomes]));
    expect(Object.keys(pets).sort()).toEqual([rex, sleepy].sort());
    expect(await server.ask('merge', { playerId: 'guest:1' }, body)).toEqual(merged);

    const [guest, account] = [(await view('guest:1')).home, (await view('account-1')).home];
    expect(guest).toMatchObject({ items: {}, things: {}, frozenAtMs: START_MS });
    expect(petsOf(account).map(({ name }) => name)).toEqual(['Tom', 'Rex', 'Sleepy']);
    for (const item of new Set([...Object.keys(before.guest.items), ...Object.keys(before.account.items)])) {
      expect(account.items[item]).toBe((before.guest.items[item] ?? 0) + (before.account.items[item] ?? 0));
    }
    const [there, here] = [petsOf(before.guest)[0], petsOf(account)[1]];
    expect(here).toMatchObject({
      petId: pets[rex],
      boost: there?.boost,
      armed: there?.armed,
      feeding: { work: there?.feeding?.work, startedAtMs: there?.feeding?.startedAtMs },
    });
    for (const home of [guest, account]) {
      const { playerId } = home;
      expect(fold(newHome(playerId), await logOf(playerId))).toEqual(home);
    }
    expect(await server.kibble.timers.listByOwner('guest:1')).toEqual([]);
    const timers = await server.kibble.timers.listByOwner('account-1');
    expect(timers.find(({ subject }) => subject === `account-1~${here?.petId}`)?.dueAtMs).toBe(due);
    const explained = await explain('account-1', here?.feeding?.feedingId ?? '');
    expect(explained.body).toMatchObject({
      isConsistent: true,
      steps: [{ type: 'pet-arrived', facts: { from: rex } }],
    });
    const old = await explain('guest:1', there?.feeding?.feedingId ?? '');
    expect(old.body).toMatchObject({ state: 'stopped', isConsistent: true });
    expect(old.body.steps.at(-1)).toMatchObject({ type: 'home-merged', facts: { into: 'account-1' } });
  });

  it('lets the chain go on in the new home, from what came along', async () => {
    server.clock.advance(24 * HOUR_MS);
    await server.kibble.runDue();
    const { home } = await view('account-1');
    expect(petsOf(home).map(({ name, xp }) => [name, xp])).toEqual([
      ['Tom', 10],
      ['Rex', 30],
      ['Sleepy', 0],
    ]);
    expect(fold(newHome('account-1'), await logOf('account-1'))).toEqual(home);
  });

  it('feeds pets that waited for food which came with the guest', async () => {
    const pet = await adopt('hungry', 'Bo');
    await server.ask('take', { playerId: 'hungry' }, why({ items: { 'dog-food': 9 } }));
    await feed('hungry', pet);
    await server.play('hungry', { type: 'home:use-card', petId: pet, card: 'auto-feed' });
    await server.ask('advance', { playerId: 'hungry' }, { byMs: 4 * HOUR_MS });
    expect((await logOf('hungry')).at(-1)?.type).toBe('auto-feed-blocked');
    await adopt('guest:2', 'Rex');
    await server.ask('merge', { playerId: 'guest:2' }, why({ into: 'hungry' }));
    expect((await logOf('hungry')).at(-1)).toMatchObject({ type: 'feeding-started', petId: pet });
  });

  it('opens an account that has no home, without a second set of starter items, and only when told so', async () => {
    await adopt('guest:3', 'Rex');
    const { items } = (await view('guest:3')).home;
    const typo = await server.ask('merge', { playerId: 'guest:3' }, why({ into: 'new-account' }));
    expect(typo).toMatchObject({ status: 404, body: { code: 'player/unknown', params: { playerId: 'new-account' } } });
    expect((await view('guest:3')).home.items).toEqual(items);
    const merged = await server.ask('merge', { playerId: 'guest:3' }, why({ into: 'new-account', isNew: true }));
    expect(merged.status).toBe(200);
    const { home } = await view('new-account');
    expect(home.items).toEqual(items);
    expect((await logOf('new-account'))[0]).toMatchObject({ type: 'items-granted', items: {}, reason: 'starter' });
    expect(fold(newHome('new-account'), await logOf('new-account'))).toEqual(home);
  });

  it('is allowed above the limit of pets, and says so', async () => {
    for (let at = 0; at < 8; at += 1) await adopt('full', `Pet ${at}`);
    await adopt('guest:4', 'Rex');
    const merged = await server.ask('merge', { playerId: 'guest:4' }, why({ into: 'full' }));
    expect(merged.body.answer.aboveLimit).toEqual([{ module: 'pets', have: 9, limit: 8 }]);
    const command = { type: 'home:adopt', name: 'More', species: 'dog' } as const;
    const [outcome] = await server.kibble.service.handle([{ playerId: 'full', commandId: 'command-more', command }]);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'pet/limit' } });
  });

  it('is refused into itself, and of a guest without a home', async () => {
    const itself = await server.ask('merge', { playerId: 'full' }, why({ into: 'full' }));
    expect(itself).toMatchObject({ status: 409, body: { code: 'player/same' } });
    const nobody = await server.ask('merge', { playerId: 'guest:none' }, why({ into: 'full' }));
    expect(nobody).toMatchObject({ status: 404, body: { params: { playerId: 'guest:none' } } });
  });
});

describe('erasing a player', () => {
  it('leaves the id nowhere in the database, tells who follows, and keeps that it was done', async () => {
    const pet = await adopt('erika', 'Rex');
    await feed('erika', pet);
    await server.ask('grant', { playerId: 'erika' }, why({ items: { snack: 1 }, reason: 'sorry, erika' }));
    await adopt('guest:erika', 'Tom');
    await server.ask('merge', { playerId: 'guest:erika' }, why({ into: 'erika' }));
    const dueAtMs = server.clock.nowMs();
    const due = ['erika', 'ute'].map((owner) => ({ kind: 'reminder', subject: `due-${owner}`, owner, dueAtMs }));
    await server.kibble.timers.schedule(due);
    await server.kibble.runDue();
    const revive = why({ kind: 'reminder' });
    expect((await server.ask('reviveDead', {}, revive)).body.answer.timers).toHaveLength(2);
    const reminder = { kind: 'reminder', subject: 'erika-1', owner: 'erika', dueAtMs: dueAtMs + HOUR_MS };
    await server.kibble.timers.schedule([reminder], { idempotencyKey: 'k1' });
    await server.kibble.timers.shiftByOwner(['erika'], 5, { idempotencyKey: 'k2' });
    const told: unknown[] = [];
    const unfollow = server.kibble.service.follow('erika', (commit) => told.push(commit.isErased));
    const { epoch } = await view('erika');

    const body = why();
    const erased = await server.ask('erase', { playerId: 'erika' }, body);
    expect(erased).toMatchObject({
      status: 200,
      body: { answer: { removed: { home: 1, thing: 2, timer: 2, timer_command: 2 }, related: ['guest:erika'] } },
    });
    expect(await server.ask('erase', { playerId: 'erika' }, body)).toEqual(erased);
    await server.ask('erase', { playerId: 'guest:erika' }, why());
    expect(await rowsWith('erika')).toEqual([]);
    const { answer: revived } = (await server.ask('reviveDead', {}, revive)).body;
    expect(revived).toMatchObject({ count: 2, timers: [{ owner: 'ute' }] });
    expect(told).toContain(true);
    unfollow();
    const { entries } = (await server.ask('audit')).body;
    const facts = entries.filter(({ target }) => target.startsWith('erased:')).map(({ action }) => action);
    expect(facts.toSorted()).toEqual(['erase', 'erase', 'grant', 'merge', 'merge']);

    // The same id starts anew, in an epoch of its own, however far it gets.
    expect((await view('erika')).home).toMatchObject({ seq: 0, things: {} });
    for (let at = 0; at < 8; at += 1) await adopt('erika', `Pet ${at}`);
    const later = await view('erika');
    expect(later.epoch).not.toBe(epoch);
    const old = await server.kibble.service.sync('erika', { afterSeq: 3, epoch });
    expect(old).toMatchObject({ ok: false, error: { code: 'sync/ahead', params: { epoch: later.epoch } } });
    expect(await server.kibble.service.sync('erika', { afterSeq: 3, epoch: later.epoch })).toMatchObject({ ok: true });
  });

  it('names the homes that were merged with it, and no others of the same commandId, also when their events are folded', async () => {
    for (const playerId of ['guest:7', 'guest:8', 'lea', 'max']) await adopt(playerId, 'Rex');
    const ticket = why();
    await server.ask('merge', { playerId: 'guest:7' }, { ...ticket, into: 'lea' });
    await server.ask('merge', { playerId: 'guest:8' }, { ...ticket, into: 'max' });
    const database = new Database({ pool: server.pool, schema: 'kibble' });
    const retained = new PostgresRetainedStore({ database, modules: petsModules(), log: silentLog });
    // A transaction of another test may hold back some of them.
    while ((await logOf('lea')).length > 0) await retained.foldEvents(LATEST_MS, 1000);
    expect((await server.ask('erase', { playerId: 'lea' }, why())).body.answer.related).toEqual(['guest:7']);
    expect((await server.ask('erase', { playerId: 'guest:8' }, why())).body.answer.related).toEqual(['max']);
  });

  it('is done in one transaction: on trial everything is still there', async () => {
    await adopt('fay', 'Rex');
    const trial = await server.ask('erase', { playerId: 'fay' }, why({ dryRun: true }));
    expect(trial.body.answer.removed).toMatchObject({ home: 1, event: 2 });
    expect(petsOf((await view('fay')).home)).toHaveLength(1);
  });

  it('loses no command that comes at the same time: it is of the old life or of the new one', async () => {
    await adopt('gus', 'Rex');
    const [, outcome] = await Promise.all([
      server.ask('erase', { playerId: 'gus' }, why()),
      server.play('gus', { type: 'home:adopt', name: 'Tom', species: 'dog' }),
    ]);
    expect(outcome.events).toHaveLength(1);
    const { home } = await view('gus');
    expect(fold(newHome('gus'), await logOf('gus'))).toEqual(home.seq > 0 ? home : newHome('gus'));
  });
});

describe('an export', () => {
  it('holds everything that is kept of the player', async () => {
    const pet = await adopt('hal', 'Rex');
    const { feedingId } = await feed('hal', pet);
    await server.ask('grant', { playerId: 'hal' }, why({ items: { snack: 2 } }));
    const order = { kind: 'reminder', subject: 'hal', owner: 'hal', dueAtMs: server.clock.nowMs() + HOUR_MS };
    await server.kibble.timers.schedule([order]);
    const [{ id: timerId = '' } = {}] = await server.kibble.timers.find([order]);
    await server.ask('shiftTimer', { timerId }, why({ byMs: HOUR_MS }));
    const { status, body } = await server.ask('exportPlayer', { playerId: 'hal' }, {}, 'support');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      format: 'kibble-export',
      version: 2,
      playerId: 'hal',
      items: { snack: 2 },
      events: [{ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }],
      things: [{ module: 'pets', thing_id: pet, title: 'Rex', state: { name: 'Rex', feeding: { feedingId } } }],
      timers: expect.arrayContaining([
        expect.objectContaining({ kind: 'feeding' }),
        expect.objectContaining({ kind: 'reminder', id: Number(timerId) }),
      ]),
      audit: [
        { action: 'grant', target: 'player:hal' },
        { action: 'shift', target: `timer:${timerId}` },
      ],
    });
  });
});

describe('with DEV_TOOLS a tester', () => {
  it('brings feedings nearer, each at most to now', async () => {
    const pet = await adopt('ida', 'Rex');
    await feed('ida', pet);
    const moved = await server.ask('advance', { playerId: 'ida' }, { byMs: HOUR_MS });
    expect(moved.body.answer.dueAt).toBe(server.clock.nowMs() + 3 * HOUR_MS);
    await server.ask('advance', { playerId: 'ida' }, { byMs: 9 * HOUR_MS });
    expect((await logOf('ida')).at(-1)?.type).toBe('feeding-completed');
    expect((await server.ask('advance', { playerId: 'ida' }, { byMs: 1 })).body.code).toBe('thing/idle');
  });
});
