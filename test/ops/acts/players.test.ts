import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { newHome } from '../../../shared/home.ts';
import { petsOf } from '../../../shared/pets/pet.ts';
import { fold } from '../../../testing/pets-engine.ts';
import { HOUR_MS, type OpsServer, START_MS, startOpsServer, why } from '../../support/game/ops-server.ts';

let server: OpsServer;
let players = 0;

beforeAll(async () => {
  server = await startOpsServer(inject('postgresUrl'));
});
afterAll(() => server.close());

/** A player with a pet that eats until four hours from now. */
const eater = async (name = 'Rex') => {
  const playerId = `player-${++players}`;
  const { petId = '' } = await server.play(playerId, { type: 'home:adopt', name, species: 'dog' });
  const { feedingId = '' } = await server.play(playerId, { type: 'home:feed', petId, food: 'dog-food' });
  return { playerId, petId, feedingId };
};

/** A pet, as operators name it. */
const the = (petId: string) => ({ module: 'pets', thing: petId });

const logOf = async (playerId: string) => {
  const synced = await server.kibble.service.sync(playerId, { afterSeq: 0 });
  if (!synced.ok) throw new Error(synced.error.code);
  return synced.value.events;
};

/** Every promise at once: the fold of the log is the rows, and the timers are those of the pets that eat. */
const expectSound = async (playerId: string): Promise<void> => {
  const [view] = await server.kibble.service.look([playerId]);
  expect(fold(newHome(playerId), await logOf(playerId))).toEqual(view?.home);
  const timers = await server.kibble.timers.listByOwner(playerId);
  const eating = petsOf(view?.home ?? newHome(''))
    .flatMap(({ petId, feeding }) => (feeding ? `${playerId}~${petId}` : []))
    .sort();
  expect(timers.map(({ subject }) => subject).sort()).toEqual(eating);
};

it('the log of a player is empty when the retention has deleted all events, and unknown for another id', async () => {
  const { playerId } = await eater();
  await server.pool.query('delete from kibble.event where player_id = $1', [playerId]);
  expect(await server.ask('log', { playerId })).toMatchObject({ status: 200, body: { entries: [] } });
  const unknown = { status: 404, body: { code: 'player/unknown' } };
  expect(await server.ask('log', { playerId: playerId.slice(0, -1) })).toMatchObject(unknown);
});

describe('an operator gives and takes', () => {
  it('once for each commandId, with an entry in the audit that says who, why, before and after', async () => {
    const { playerId } = await eater();
    const body = why({ items: { snack: 5 } });
    const first = await server.ask('grant', { playerId }, body, 'support');
    const again = await server.ask('grant', { playerId }, body, 'support');
    expect(first).toMatchObject({ status: 200, body: { isDryRun: false, answer: { seq: 4 } } });
    expect(again).toEqual(first);
    expect((await server.ask('player', { playerId })).body.items.snack).toBe(5);
    const { entries } = (await server.ask('audit', {}, { target: `player:${playerId}` })).body;
    expect(entries).toMatchObject([
      {
        commandId: body.commandId,
        actor: 'the-support',
        action: 'grant',
        reason: body.reason,
        before: { seq: 3 },
        after: { seq: 4, items: { snack: 5 } },
      },
    ]);
    await expectSound(playerId);
  });

  it('not with a commandId that did something else', async () => {
    const { playerId } = await eater();
    const body = why({ items: { snack: 5 } });
    await server.ask('grant', { playerId }, body);
    const reused = await server.ask('grant', { playerId }, { ...body, items: { snack: 6 } });
    expect(reused).toMatchObject({ status: 409, body: { code: 'command/reused' } });
    const otherAct = await server.ask('take', { playerId }, body);
    expect(otherAct).toMatchObject({ status: 409, body: { code: 'command/reused' } });
  });

  it('once also when the same command comes twice at the same time', async () => {
    const { playerId } = await eater();
    const body = why({ items: { snack: 1 } });
    const answers = await Promise.all(Array.from({ length: 6 }, () => server.ask('grant', { playerId }, body)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect((await server.ask('player', { playerId })).body.items.snack).toBe(1);
  });

  it('not more than there is: nothing is changed and nothing is in the audit', async () => {
    const { playerId } = await eater();
    const refused = await server.ask('take', { playerId }, why({ items: { boost: 2 } }));
    expect(refused).toMatchObject({ status: 409, body: { code: 'item/out-of-stock', params: { have: 1, need: 2 } } });
    expect((await server.ask('audit', {}, { target: `player:${playerId}` })).body.entries).toEqual([]);
    expect(await server.ask('take', { playerId }, why({ items: { boost: 1 } }))).toMatchObject({ status: 200 });
  });

  it('on trial: the answer is as if, and nothing stays', async () => {
    const { playerId } = await eater();
    const body = why({ items: { snack: 5 } });
    const trial = await server.ask('grant', { playerId }, { ...body, dryRun: true });
    expect(trial.body).toMatchObject({ isDryRun: true, answer: { seq: 4 } });
    expect(await logOf(playerId)).toHaveLength(3);
    expect(await server.ask('grant', { playerId }, body)).toMatchObject({ status: 200, body: { isDryRun: false } });
  });

  it('nothing to somebody who has no home', async () => {
    const nobody = await server.ask('grant', { playerId: 'nobody' }, why({ items: { snack: 5 } }));
    expect(nobody).toMatchObject({ status: 404, body: { code: 'player/unknown' } });
    expect((await server.ask('player', { playerId: 'nobody' })).status).toBe(404);
  });
});

it('an operator sees beside a player’s timers what the index has of them', async () => {
  const { playerId, petId } = await eater();
  await server.kibble.runDue();
  const seen = async () => (await server.ask('playerTimers', { playerId })).body;
  const { timers, index } = await seen();
  expect(timers).toMatchObject([{ subject: `${playerId}~${petId}`, fireAtMs: START_MS + 4 * HOUR_MS }]);
  expect(index).toEqual([{ timerId: timers[0]?.timerId, fireAtMs: START_MS + 4 * HOUR_MS }]);
  await server.pool.query('update kibble.thing set due_at = due_at + 7 where player_id = $1', [playerId]);
  expect((await seen()).timers).toMatchObject([{ fireAtMs: START_MS + 4 * HOUR_MS + 7 }]);
  expect((await seen()).index).toEqual(index);
});

describe('an operator moves a feeding', () => {
  it.each([
    ['later', HOUR_MS, 5 * HOUR_MS],
    ['sooner', -HOUR_MS, 3 * HOUR_MS],
  ])('%s, by the milliseconds asked, in the log, the row and the timer', async (_, byMs, dueInMs) => {
    const { playerId, petId, feedingId } = await eater();
    const shifted = await server.ask('shift', { playerId }, why({ ...the(petId), run: feedingId, byMs }));
    expect(shifted.body.answer).toMatchObject({ dueAt: START_MS + dueInMs });
    expect((await logOf(playerId)).at(-1)).toMatchObject({
      type: 'feeding-shifted',
      petId,
      feedingId,
      byMs,
      dueAt: START_MS + dueInMs,
      by: 'the-admin',
      reason: 'because of a test',
    });
    expect((await server.ask('playerTimers', { playerId })).body.timers).toMatchObject([
      { subject: `${playerId}~${petId}`, dueAtMs: START_MS + dueInMs, isDerived: true },
    ]);
    await expectSound(playerId);
  });

  it('inside a boost by the same time on the clock', async () => {
    const { playerId, petId, feedingId } = await eater();
    const { dueAt = 0 } = await server.play(playerId, { type: 'home:use-card', petId, card: 'boost' });
    const shifted = await server.ask(
      'shift',
      { playerId },
      why({ ...the(petId), run: feedingId, byMs: -2.5 * HOUR_MS }),
    );
    expect(dueAt).toBe(START_MS + 3 * HOUR_MS);
    expect(shifted.body.answer.dueAt).toBe(START_MS + HOUR_MS / 2);
    await expectSound(playerId);
  });

  it('before now: it completes now, and what follows starts now', async () => {
    const { playerId, petId } = await eater();
    await server.play(playerId, { type: 'home:use-card', petId, card: 'auto-feed' });
    await server.ask('shift', { playerId }, why({ ...the(petId), byMs: -9 * HOUR_MS }));
    expect((await logOf(playerId)).slice(-3)).toMatchObject([
      { type: 'feeding-shifted', dueAt: START_MS },
      { type: 'feeding-completed', at: START_MS },
      { type: 'feeding-started', at: START_MS, by: 'card' },
    ]);
    await expectSound(playerId);
  });

  it('or stops it; who and why stand in the log', async () => {
    const { playerId, petId, feedingId } = await eater();
    await server.ask('stop', { playerId }, why({ ...the(petId), run: feedingId }));
    expect((await logOf(playerId)).at(-1)).toMatchObject({
      type: 'feeding-stopped',
      feedingId,
      by: 'the-admin',
      reason: 'because of a test',
      items: { 'dog-food': 1 },
    });
    const twice = await server.ask('stop', { playerId }, why({ ...the(petId), run: feedingId }));
    expect(twice).toMatchObject({ status: 409, body: { code: 'feeding/already-done' } });
    for (const unknown of ['no-pet', 'constructor']) {
      const nothing = await server.ask('stop', { playerId }, why(the(unknown)));
      expect(nothing).toMatchObject({ status: 404, body: { code: 'thing/unknown', params: { thing: unknown } } });
    }
    await expectSound(playerId);
  });
});

describe('a frozen player', () => {
  it('is refused every command, while feedings go on; then is free again', async () => {
    const { playerId, petId } = await eater();
    await server.ask('freeze', { playerId }, why());
    const [outcome] = await server.kibble.service.handle([
      { playerId, commandId: 'command-frozen', command: { type: 'home:stop', petId } },
    ]);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'player/frozen', retryable: false } });
    expect((await server.ask('player', { playerId })).body.frozenAtMs).toBe(START_MS);
    expect(await server.ask('freeze', { playerId }, why())).toMatchObject({
      status: 409,
      body: { code: 'player/frozen' },
    });
    // A gift of an operator or the game is not the player's command.
    expect((await server.ask('grant', { playerId }, why({ items: { snack: 1 } }))).status).toBe(200);
    expect((await server.ask('shift', { playerId }, why({ ...the(petId), byMs: -9 * HOUR_MS }))).status).toBe(200);
    expect((await logOf(playerId)).at(-1)?.type).toBe('feeding-completed');
    await expectSound(playerId);
    await server.ask('unfreeze', { playerId }, why());
    await server.play(playerId, { type: 'home:feed', petId, food: 'dog-food' });
    expect((await server.ask('unfreeze', { playerId }, why())).body.code).toBe('player/not-frozen');
    await expectSound(playerId);
  });
});

describe('reads', () => {
  it('page through the log from the newest on, and name the operator of an entry', async () => {
    const { playerId } = await eater();
    await server.ask('grant', { playerId }, why({ items: { snack: 1 } }), 'support');
    const first = (await server.ask('log', { playerId }, { limit: '2' })).body;
    expect(first.entries.map(({ event, actor }) => [event.seq, event.type, actor])).toEqual([
      [4, 'items-granted', 'the-support'],
      [3, 'feeding-started', undefined],
    ]);
    const next = (await server.ask('log', { playerId }, { limit: '2', beforeSeq: `${first.nextBeforeSeq}` })).body;
    expect(next.entries.map(({ event }) => event.seq)).toEqual([2, 1]);
    expect(next.nextBeforeSeq).toBeUndefined();
  });

  it('find players, things, runs and timers from one box', async () => {
    const { playerId, petId, feedingId } = await eater('Snow_White');
    const [timer] = await server.kibble.timers.listByOwner(playerId);
    const hits = async (q: string) =>
      (await server.ask('search', {}, { q })).body.hits.map(({ type, id }) => `${type} ${id}`);
    expect(await hits(playerId)).toContain(`player ${playerId}`);
    expect((await hits('player-')).length).toBeGreaterThan(5);
    expect(await hits('player_')).toEqual([]);
    expect(await hits(petId)).toEqual([`thing ${petId}`]);
    expect(await hits('snow_w')).toEqual([`thing ${petId}`]);
    expect(await hits('snowXw')).toEqual([]);
    expect(await hits(feedingId)).toEqual([`run ${feedingId}`, `timer ${timer?.id}`]);
    expect(await hits(timer?.id ?? '')).toContain(`timer ${timer?.id}`);
    expect(await hits(timer?.subject ?? '')).toEqual([`timer ${timer?.id}`]);
  });

  it('say of a search whether it found more than it returns', async () => {
    const names = ['Cut', 'Cuthbert'];
    for (const name of names) await eater(name);
    const search = async (limit: string) => (await server.ask('search', {}, { q: 'cut', limit })).body;
    expect(await search('1')).toMatchObject({ hits: [{ label: 'Cut' }], isCut: true });
    expect(await search('2')).toMatchObject({ hits: names.map((label) => ({ label })), isCut: false });
    expect(await search('3')).toMatchObject({ isCut: false });
    const prefix = { q: 'player-', limit: '1' };
    expect((await server.ask('search', {}, prefix)).body).toMatchObject({ hits: [{ type: 'player' }], isCut: true });
  });

  it('explain when a feeding is due, step by step', async () => {
    const { playerId, petId, feedingId } = await eater();
    await server.play(playerId, { type: 'home:use-card', petId, card: 'boost' });
    await server.play(playerId, { type: 'home:use-card', petId, card: 'speed-up' });
    await server.ask('shift', { playerId }, why({ ...the(petId), byMs: HOUR_MS }));
    const { body } = await server.ask('explainThing', { playerId }, the(petId));
    expect(body).toMatchObject({
      playerId,
      ...the(petId),
      title: 'Rex',
      run: feedingId,
      state: 'running',
      isConsistent: true,
      isCut: false,
      dueAtMs: START_MS + 2 * HOUR_MS,
      timerDueAtMs: START_MS + 2 * HOUR_MS,
      steps: [
        { type: 'feeding-started', seq: 3, dueAfterMs: START_MS + 4 * HOUR_MS, facts: { workMs: 4 * HOUR_MS } },
        {
          type: 'card-used',
          effectMs: -HOUR_MS,
          workBefore: { leftMs: 4 * HOUR_MS },
          workAfter: { leftMs: 4 * HOUR_MS, boost: { rate: 2, endsAtMs: START_MS + HOUR_MS } },
        },
        {
          type: 'card-used',
          effectMs: -2 * HOUR_MS,
          workBefore: { leftMs: 4 * HOUR_MS },
          workAfter: { leftMs: 2 * HOUR_MS },
        },
        { type: 'feeding-shifted', effectMs: HOUR_MS, facts: { by: 'the-admin', byMs: HOUR_MS } },
      ],
    });
    const sum = body.steps.reduce((due, { effectMs }) => due + effectMs, body.steps[0]?.dueAfterMs ?? 0);
    expect(sum).toBe(body.dueAtMs);
    const byRun = await server.ask('explainThing', { playerId }, { module: 'pets', run: feedingId });
    expect(byRun.body).toEqual(body);
    const [timer] = await server.kibble.timers.listByOwner(playerId);
    const timerId = timer?.id ?? '';
    expect((await server.ask('explainTimer', { timerId })).body.thing).toEqual(body);
  });

  it('find and explain a run that has ended, from the log, beside the one that its thing is at', async () => {
    const { playerId, petId, feedingId } = await eater();
    await server.play(playerId, { type: 'home:stop', petId });
    await server.play(playerId, { type: 'home:grant', items: { 'dog-food': 1 }, reason: 'gift' });
    const again = await server.play(playerId, { type: 'home:feed', petId, food: 'dog-food' });
    const [timer] = await server.kibble.timers.listByOwner(playerId);
    const hits = async (q: string) =>
      (await server.ask('search', {}, { q })).body.hits.map(({ type, id }) => `${type} ${id}`);
    expect(await hits(feedingId)).toEqual([`run ${feedingId}`]);
    expect(await hits(again.feedingId ?? '')).toEqual([`run ${again.feedingId}`, `timer ${timer?.id}`]);
    const ended = await server.ask('explainThing', { playerId }, { module: 'pets', run: feedingId });
    expect(ended.body).toMatchObject({ run: feedingId, state: 'stopped', isConsistent: true });
    expect(ended.body).not.toHaveProperty('timerDueAtMs');
    const going = await server.ask('explainThing', { playerId }, { module: 'pets', thing: petId });
    expect(going.body).toMatchObject({ run: again.feedingId, isConsistent: true, timerDueAtMs: timer?.dueAtMs });
  });

  // The last one: time goes on.
  it('never settle: what is due is shown as overdue, and stays so', async () => {
    const { playerId } = await eater();
    server.clock.advance(5 * HOUR_MS);
    for (let times = 0; times < 2; times += 1) {
      expect((await server.ask('player', { playerId })).body).toMatchObject({
        overdue: 1,
        seq: 3,
        things: [{ module: 'pets', title: 'Rex', isOverdue: true, dueAtMs: START_MS + 4 * HOUR_MS }],
      });
    }
    expect((await server.ask('log', { playerId })).body.entries).toHaveLength(3);
  });
});
