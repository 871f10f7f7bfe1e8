import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { HomeService } from '../../server/home/home-service.ts';
import type { Commit } from '../../server/home/model/commit.ts';
import type { HomeOrder } from '../../server/home/model/homes.ts';
import { newHome } from '../../shared/home.ts';
import type { Command, Reply } from '../../shared/pets/protocol.ts';
import { fold } from '../../testing/pets-engine.ts';
import { type HomeDatabase, homeDatabase } from '../support/postgres/home-database.ts';

let database: HomeDatabase;
let homes: HomeService;
let count = 0;

beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  homes = database.service();
});
afterAll(() => database.drop());

const orderOf = (playerId: string, command: Command, commandId = `command-${++count}`): HomeOrder => ({
  playerId,
  commandId,
  command,
});

const accepted = async (playerId: string, command: Command): Promise<Reply> => {
  const [outcome] = await homes.handle([orderOf(playerId, command)]);
  if (!outcome?.ok) throw new Error(JSON.stringify(outcome));
  return outcome.value as Reply;
};

const adopt = { type: 'home:adopt', name: 'Rex', species: 'dog' } as const;
const logOf = (playerId: string) => database.store.events(playerId, 0, 1000);

describe('a home', () => {
  it('begins with its first accepted command, the starter items first', async () => {
    const [refused] = await homes.handle([orderOf('ann', { type: 'home:feed', petId: 'none', food: 'dog-food' })]);
    expect(refused).toMatchObject({ ok: false, error: { code: 'pet/unknown' } });
    expect(await logOf('ann')).toEqual([]);
    const reply = await accepted('ann', adopt);
    expect(reply).toMatchObject({ seq: 2, petId: 'ann~p2' });
    expect((await logOf('ann')).map((event) => event.type)).toEqual(['items-granted', 'pet-adopted']);
  });

  it('is shown with the starter items before it begins', async () => {
    const [view] = await homes.look(['nobody']);
    expect(view?.home).toMatchObject({ seq: 0, items: { 'dog-food': 10, boost: 1 } });
  });

  it('is in the rows exactly what the fold of its log says', async () => {
    const { petId = '' } = await accepted('bea', adopt);
    await accepted('bea', { type: 'home:feed', petId, food: 'dog-food' });
    await accepted('bea', { type: 'home:use-card', petId, card: 'boost' });
    await accepted('bea', { type: 'home:use-card', petId, card: 'auto-feed', count: 2 });
    await accepted('bea', { type: 'home:use-card', petId, card: 'speed-up', count: 3 });
    await accepted('bea', { type: 'home:grant', items: { snack: 3 }, reason: 'gift' });
    const second = await accepted('bea', { type: 'home:adopt', name: 'Tom', species: 'cat' });
    await accepted('bea', { type: 'home:feed', petId: second.petId ?? '', food: 'snack' });
    await accepted('bea', { type: 'home:disarm', petId, count: 1 });
    await accepted('bea', { type: 'home:stop', petId: second.petId ?? '' });
    const [view] = await homes.look(['bea']);
    expect(view?.home).toEqual(fold(newHome('bea'), await logOf('bea')));
  });

  it('keeps one timer for each pet that eats, at its due time: a card moves it, and nothing of it stays', async () => {
    const { petId = '' } = await accepted('cleo', adopt);
    const fed = await accepted('cleo', { type: 'home:feed', petId, food: 'dog-food' });
    const cut = await accepted('cleo', { type: 'home:use-card', petId, card: 'speed-up' });
    const timers = await database.timers.listByOwners(['cleo']);
    expect(timers).toMatchObject([{ subject: `cleo~${petId}`, dueAtMs: cut.dueAt, fireAtMs: cut.dueAt, revision: 3 }]);
    expect(cut.dueAt).toBe((fed.dueAt ?? 0) - 7_200_000);
    await accepted('cleo', { type: 'home:release', petId });
    expect(await database.timers.find(timers.map(({ id }) => ({ timerId: id })))).toEqual([undefined]);
  });

  it('moves the timer of a pet whose next feeding follows: one row, as long as the chain goes', async () => {
    const { petId = '' } = await accepted('dora', adopt);
    await accepted('dora', { type: 'home:feed', petId, food: 'dog-food' });
    await accepted('dora', { type: 'home:use-card', petId, card: 'auto-feed' });
    const [begun] = await database.timers.listByOwners(['dora']);
    // Two speed-ups of two hours end the feeding, and the next one follows.
    await accepted('dora', { type: 'home:use-card', petId, card: 'speed-up', count: 2 });
    const [started, completed] = (await logOf('dora')).toReversed();
    expect([completed?.type, started?.type]).toEqual(['feeding-completed', 'feeding-started']);
    const dueAtMs = (started?.at ?? 0) + 14_400_000;
    const moved = { id: begun?.id, subject: `dora~${petId}`, dueAtMs, revision: 3 };
    expect(await database.timers.listByOwners(['dora'])).toMatchObject([moved]);
    expect(database.told.at(-1)).toEqual({
      put: [{ timerId: begun?.id, owner: 'dora', fireAtMs: moved.dueAtMs, revision: 3 }],
      remove: [],
    });
  });
});

describe('a command', () => {
  it('sent again gets the first answer and does nothing', async () => {
    const order = orderOf('dan', adopt, 'the-same-id');
    const [first] = await homes.handle([order]);
    const [again, twin] = await homes.handle([order, order]);
    expect(again).toEqual(first);
    expect(twin).toEqual(first);
    expect(await logOf('dan')).toHaveLength(2);
  });

  it('sent twice at once takes effect once', async () => {
    const order = orderOf('eve', adopt, 'the-same-id');
    const [first, second] = await homes.handle([order, order]);
    expect(second).toEqual(first);
    expect(await logOf('eve')).toHaveLength(2);
  });

  it('with the id of another one is refused', async () => {
    await homes.handle([orderOf('fay', adopt, 'the-same-id')]);
    const [reused] = await homes.handle([orderOf('fay', { ...adopt, name: 'Max' }, 'the-same-id')]);
    expect(reused).toMatchObject({ ok: false, error: { code: 'command/reused' } });
  });

  it('that was refused is judged anew', async () => {
    const { petId = '' } = await accepted('gil', adopt);
    const order = orderOf('gil', { type: 'home:feed', petId, food: 'snack' });
    expect((await homes.handle([order]))[0]).toMatchObject({ ok: false, error: { code: 'item/out-of-stock' } });
    await accepted('gil', { type: 'home:grant', items: { snack: 1 }, reason: 'gift' });
    expect((await homes.handle([order]))[0]).toMatchObject({ ok: true });
  });

  it('can be asked about without being done', async () => {
    const { petId = '', seq } = await accepted('hal', adopt);
    const quote = await homes.quote('hal', { type: 'home:feed', petId, food: 'dog-food' });
    expect(quote).toMatchObject({ ok: true, value: { seq, events: [{ type: 'feeding-started', food: 'dog-food' }] } });
    expect(quote.ok && 'seq' in (quote.value.events[0] ?? {})).toBe(false);
    expect(await logOf('hal')).toHaveLength(seq);
  });

  it('does what its quote said', async () => {
    const { petId = '' } = await accepted('jan', adopt);
    await accepted('jan', { type: 'home:feed', petId, food: 'dog-food' });
    await accepted('jan', { type: 'home:use-card', petId, card: 'auto-feed', count: 2 });
    const stop = { type: 'home:stop', petId } as const;
    const quote = await homes.quote('jan', stop);
    const { events } = await accepted('jan', stop);
    const done = events.map(({ seq: _, commandId: __, ...event }) => ({ ...event, at: expect.any(Number) }));
    expect(done).toMatchObject([{ type: 'feeding-stopped', items: { 'auto-feed': 2 } }]);
    expect(quote.ok && quote.value.events).toEqual(done);
  });
});

describe('many commands at once', () => {
  it('of one player on two processes never spend more than there is, and leave one log without a gap', async () => {
    const other = database.service();
    const { petId = '' } = await accepted('ida', adopt);
    await accepted('ida', { type: 'home:feed', petId, food: 'dog-food' });
    const play = { type: 'home:use-card', petId, card: 'auto-feed' } as const;
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 ? homes : other).handle([orderOf('ida', play)])),
    );
    expect(outcomes.flat().filter((outcome) => outcome.ok)).toHaveLength(3);
    const log = await logOf('ida');
    expect(log.map((event) => event.seq)).toEqual(log.map((_, at) => at + 1));
    const [view] = await homes.look(['ida']);
    expect(view?.home).toEqual(fold(newHome('ida'), log));
  });

  it('open one home, whoever is first', async () => {
    const other = database.service();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, at) => (at % 2 ? homes : other).handle([orderOf('joe', adopt)])),
    );
    expect(outcomes.flat().every((outcome) => outcome.ok)).toBe(true);
    const log = await logOf('joe');
    expect(log.filter((event) => event.type === 'items-granted')).toHaveLength(1);
    expect(log).toHaveLength(9);
  });
});

describe('a follower', () => {
  it('hears every commit in order and before the command is answered', async () => {
    const heard: Commit[] = [];
    const unfollow = homes.follow('kim', (commit) => heard.push(commit));
    const { petId = '', seq } = await accepted('kim', adopt);
    expect(heard.at(-1)?.home.seq).toBe(seq);
    await Promise.all([
      accepted('kim', { type: 'home:feed', petId, food: 'dog-food' }),
      accepted('kim', { type: 'home:grant', items: { snack: 1 }, reason: 'gift' }),
    ]);
    unfollow();
    await accepted('kim', { type: 'home:grant', items: { snack: 1 }, reason: 'gift' });
    const seqs = heard.flatMap((commit) => commit.events.map((event) => event.seq));
    expect(seqs).toEqual([1, 2, 3, 4]);
    expect(heard.flatMap((commit) => commit.answers.map((answer) => answer.reply.seq))).toEqual([2, 3, 4]);
  });

  it('gets the first reply again when a command is sent again', async () => {
    const heard: Commit[] = [];
    await homes.handle([orderOf('kai', adopt, 'adopt-kai')]);
    const unfollow = homes.follow('kai', (commit) => heard.push(commit));
    const [again] = await homes.handle([orderOf('kai', adopt, 'adopt-kai')]);
    unfollow();
    expect(heard).toMatchObject([{ events: [], afterSeq: 2, answers: [{ commandId: 'adopt-kai', fromSeq: 2 }] }]);
    expect(again).toEqual({ ok: true, value: heard[0]?.answers[0]?.reply });
  });

  it('gets a home that has not begun as its player is shown it', async () => {
    const heard: Commit[] = [];
    const unfollow = homes.follow('kea', (commit) => heard.push(commit));
    const [view] = await homes.look(['kea']);
    unfollow();
    expect(heard.map(({ home }) => home)).toEqual([view?.home]);
    expect(view?.home.items).not.toEqual({});
  });
});

describe('the log', () => {
  it('is read in pages, and refuses a cursor of another life or from beyond its end', async () => {
    await accepted('lou', adopt);
    await accepted('lou', { type: 'home:grant', items: { snack: 1 }, reason: 'gift' });
    const page = await homes.sync('lou', { afterSeq: 1, limit: 1 });
    expect(page).toMatchObject({ ok: true, value: { seq: 3, truncated: true, events: [{ seq: 2 }] } });
    const rest = await homes.sync('lou', { afterSeq: 2 });
    expect(rest.ok && rest.value.truncated).toBeFalsy();
    expect(await homes.sync('lou', { afterSeq: 4 })).toMatchObject({ ok: false, error: { code: 'sync/ahead' } });
    expect(await homes.sync('lou', { afterSeq: 1, epoch: 'other' })).toMatchObject({
      ok: false,
      error: { code: 'sync/ahead' },
    });
  });
});

describe("inside the game's own transaction", () => {
  it('commands take effect with its commit, and not at all without', async () => {
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      const lost = await homes.handleIn(client, [orderOf('mia', adopt)]);
      expect(lost.outcomes[0]?.ok).toBe(true);
      await client.query('rollback');
      expect(await logOf('mia')).toEqual([]);
      await client.query('begin');
      const kept = await homes.handleIn(client, [orderOf('mia', adopt), orderOf('nan', adopt)]);
      await client.query('commit');
      kept.afterCommit();
      expect(kept.outcomes.map((outcome) => outcome.ok)).toEqual([true, true]);
      expect(await logOf('nan')).toHaveLength(2);
    } finally {
      client.release();
    }
  });
});
