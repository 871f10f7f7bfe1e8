import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { village } from '../../../examples/village.ts';
import { Database } from '../../../server/adapter/postgres/database.ts';
import { PostgresVerifyStore } from '../../../server/adapter/postgres/ops/verify-store.ts';
import { Modules } from '../../../server/domain/modules.ts';
import { pets } from '../../../server/kibble.ts';
import { type HomeDifference, verify } from '../../../server/ops/offline/verify.ts';
import { explain as explainIn } from '../../../server/ops/reads/thing-reads.ts';
import type { Timer } from '../../../server/timer/model/timer.ts';
import { newHome } from '../../../shared/home.ts';
import { defineModule } from '../../../shared/module/module.ts';
import { HOUR_MS, type OpsServer, START_MS, startOpsServer, why } from '../../support/game/ops-server.ts';

/** Due again and again, of arithmetic of its own; an operator may move it. */
const wells = defineModule({
  name: 'wells',
  version: 3,
  thing: z.object({ nextAtMs: z.int().optional(), water: z.int() }),
  initial: { water: 0 },
  events: { dug: z.object({ nextAtMs: z.int() }), rose: z.object({ nextAtMs: z.int() }), dry: z.object({}) },
  commands: { dig: z.object({ name: z.string() }) },
}).rules({
  decide: { dig: ({ payload, nowMs }) => [{ type: 'dug', thing: payload.name, nextAtMs: nowMs + HOUR_MS }] },
  evolve: {
    dug: (well, { nextAtMs }) => ({ ...well, nextAtMs }),
    rose: ({ water }, { nextAtMs }) => ({ water: water + 1, nextAtMs }),
    dry: ({ water }) => ({ water }),
  },
  dueAtMs: ({ nextAtMs }) => nextAtMs,
  complete: ({ id, nowMs }) => [{ type: 'rose', thing: id, nextAtMs: nowMs + HOUR_MS }],
  shift: ({ id, thing, byMs }) => [{ type: 'dug', thing: id, nextAtMs: (thing.nextAtMs ?? 0) + byMs }],
  title: () => 'A well',
});

/** Each run has a name of its own, which the events say. */
const ovens = defineModule({
  name: 'ovens',
  version: 1,
  thing: z.object({ run: z.string(), readyAtMs: z.int().optional() }),
  initial: { run: '' },
  events: { lit: z.object({ run: z.string(), readyAtMs: z.int() }), done: z.object({ run: z.string() }) },
  commands: { light: z.object({ name: z.string() }) },
}).rules({
  decide: {
    light: ({ payload, nowMs }) => [{ type: 'lit', thing: payload.name, run: `r${nowMs}`, readyAtMs: nowMs + HOUR_MS }],
  },
  evolve: { lit: (_, { run, readyAtMs }) => ({ run, readyAtMs }), done: ({ run }) => ({ run }) },
  dueAtMs: ({ readyAtMs }) => readyAtMs,
  complete: ({ id, thing }) => [{ type: 'done', thing: id, run: thing.run }],
  run: ({ run }) => run,
});

let server: OpsServer;
beforeAll(async () => {
  server = await startOpsServer(inject('postgresUrl'), { modules: [pets(), village, wells, ovens] });
});
afterAll(() => server.close());

let players = 0;
const settler = async (): Promise<string> => {
  const playerId = `settler-${++players}`;
  await server.play(playerId, { type: 'home:grant', items: { wood: 300, flag: 1, hourglass: 1 }, reason: 'gift' });
  return playerId;
};
const upgrade = (playerId: string, site: string) => server.play(playerId, { type: 'village:upgrade', site });
const explain = async (playerId: string, input: object) => (await server.ask('explainThing', { playerId }, input)).body;

describe('what a player has', () => {
  it('is listed by module, with what each thing is due for or waits for', async () => {
    const playerId = await settler();
    for (const site of ['mill', 'hall', 'barn']) await upgrade(playerId, site);
    const { things, overdue } = (await server.ask('player', { playerId })).body;
    const at = server.clock.nowMs();
    expect(overdue).toBe(0);
    expect(things).toMatchObject([
      { module: 'village', id: 'barn', version: 1, isOverdue: false, waitingSinceMs: at, state: { level: 0 } },
      { module: 'village', id: 'hall', run: `${playerId}~hall`, dueAtMs: at + HOUR_MS, work: { leftMs: HOUR_MS } },
      { module: 'village', id: 'mill', dueAtMs: at + HOUR_MS },
    ]);
    expect(things[0]).not.toHaveProperty('dueAtMs');
  });

  it('is found by its title, or by the player and its id', async () => {
    const playerId = await settler();
    await upgrade(playerId, 'hall');
    await server.play(playerId, { type: 'wells:dig', name: 'hall' });
    const hits = async (q: string) => (await server.ask('search', {}, { q })).body.hits;
    expect(await hits('a wel')).toEqual([{ type: 'thing', id: 'hall', playerId, module: 'wells', label: 'A well' }]);
    expect((await hits(`${playerId} hall`)).map(({ type, module }) => [type, module])).toEqual([
      ['thing', 'village'],
      ['thing', 'wells'],
    ]);
    expect(await hits(`${playerId} mill`)).toEqual([]);
    expect((await hits(`${playerId}~hall`)).map(({ type, module }) => [type, module])).toEqual([
      ['run', 'village'],
      ['run', 'wells'],
      ['timer', undefined],
      ['timer', undefined],
    ]);
    await server.play(playerId, { type: 'wells:dig', name: 'Großer Brunnen_2' });
    for (const q of [`${playerId} Großer Brunnen_2`, `${playerId}~Großer Brunnen_2`]) {
      expect(await hits(q)).toContainEqual(expect.objectContaining({ module: 'wells', playerId }));
    }
  });
});

describe('why a thing of any module is due when it is', () => {
  it('is in its log: from its wait on, each step with its work and its effect', async () => {
    const playerId = await settler();
    const at = server.clock.nowMs();
    await upgrade(playerId, 'hall');
    await server.play(playerId, { type: 'village:use-card', site: 'hall', card: 'flag' });
    const explained = await explain(playerId, { module: 'village', thing: 'hall' });
    expect(explained).toMatchObject({
      thing: 'hall',
      run: `${playerId}~hall`,
      state: 'running',
      dueAtMs: at + HOUR_MS / 2,
      timerDueAtMs: at + HOUR_MS / 2,
      isConsistent: true,
      steps: [
        { type: 'village/queued', facts: { workMs: HOUR_MS, items: { wood: -10 } } },
        { type: 'village/started', dueAfterMs: at + HOUR_MS, effectMs: 0, workAfter: { leftMs: HOUR_MS } },
        {
          type: 'village/card-used',
          effectMs: -HOUR_MS / 2,
          workAfter: { leftMs: HOUR_MS, boost: { rate: 2, endsAtMs: at + HOUR_MS } },
        },
      ],
    });
    expect(explained.steps[0]).not.toHaveProperty('dueAfterMs');
    const [timer] = await server.kibble.timers.listByOwner(playerId);
    expect((await server.ask('explainTimer', { timerId: timer?.id ?? '' })).body.thing).toEqual(explained);
  });

  it('says that it waits, that it is done, and that it was never due', async () => {
    const playerId = await settler();
    for (const site of ['hall', 'mill', 'barn']) await upgrade(playerId, site);
    const of = (thing: string) => explain(playerId, { module: 'village', thing });
    expect(await of('barn')).toMatchObject({
      state: 'waiting',
      waitingSinceMs: server.clock.nowMs(),
      isConsistent: true,
    });
    server.clock.advance(HOUR_MS);
    await server.kibble.runDue();
    expect(await of('hall')).toMatchObject({ state: 'completed', isConsistent: true });
    expect((await of('hall')).steps.map(({ type }) => type)).toEqual([
      'village/queued',
      'village/started',
      'village/finished',
    ]);
    expect(await of('barn')).toMatchObject({ state: 'running' });
    const adopted = await server.play(playerId, { type: 'home:adopt', name: 'Rex', species: 'dog' });
    const rex = await explain(playerId, { module: 'pets', thing: adopted.petId });
    expect(rex).toMatchObject({ state: 'resting', title: 'Rex', isConsistent: true, steps: [] });
  });

  it('begins anew each time it came due, also where that makes it due again', async () => {
    const playerId = await settler();
    await server.play(playerId, { type: 'wells:dig', name: 'deep' });
    const at = server.clock.nowMs();
    server.clock.advance(2 * HOUR_MS);
    await server.kibble.runDue();
    const shifted = await server.ask('shift', { playerId }, why({ module: 'wells', thing: 'deep', byMs: 60_000 }));
    expect(shifted.status).toBe(200);
    const explained = await explain(playerId, { module: 'wells', thing: 'deep' });
    expect(explained).toMatchObject({ state: 'running', dueAtMs: at + 3 * HOUR_MS + 60_000, isConsistent: true });
    expect(explained.steps.map(({ type, at: stepAt, effectMs }) => [type, stepAt - at, effectMs])).toEqual([
      ['wells/rose', 2 * HOUR_MS, 0],
      ['wells/dug', 2 * HOUR_MS, 60_000],
    ]);
    // Without work there is none to be shown.
    expect(explained.steps.some((step) => 'workAfter' in step)).toBe(false);
  });

  it('begins with what a checkpoint has where older entries were folded away', async () => {
    const playerId = await settler();
    await upgrade(playerId, 'hall');
    const [view] = await server.kibble.service.look([playerId]);
    const home = { ...view?.home, versions: { village: 1 } };
    const kept = { playerId, seq: view?.home.seq, home: JSON.stringify(home) };
    await server.pool.query(
      'insert into kibble.checkpoint (player_id, seq, home) values ($1, $2, $3)',
      Object.values(kept),
    );
    await server.pool.query('delete from kibble.event where player_id = $1', [playerId]);
    const explained = await explain(playerId, { module: 'village', thing: 'hall' });
    expect(explained).toMatchObject({
      isCut: true,
      isConsistent: true,
      steps: [{ type: 'kept', workAfter: { leftMs: HOUR_MS }, facts: { level: 0 } }],
    });
  });
});

describe('an explanation', () => {
  const homeDueAt = (nextAtMs: number) => ({ ...newHome('ann'), things: { wells: { deep: { nextAtMs, water: 0 } } } });
  const explained = async (...logged: readonly number[]) => {
    let reads = 0;
    const wholeLog = async () => ({ checkpoint: homeDueAt(logged[reads++] ?? Number.NaN), events: [] });
    const modules = new Modules([wells]);
    const find = async () => [{ dueAtMs: 2000 }] as unknown as readonly Timer[];
    const reading = { wholeLog, nowMs: async () => 0 };
    const sources = { modules, timers: { find }, reads: reading, yieldToEventLoop: async () => undefined };
    return await explainIn(sources, 'ann', { module: 'wells', thing: 'deep' });
  };

  it('does not call a change between its two reads a difference', async () => {
    expect(await explained(1000, 2000)).toMatchObject({ value: { dueAtMs: 2000, isConsistent: true } });
  });

  it('says a difference that stays', async () => {
    const value = { dueAtMs: 1000, timerDueAtMs: 2000, isConsistent: false };
    expect(await explained(1000, 1000)).toMatchObject({ value });
  });
});

describe('an operator', () => {
  it('may do to a thing what its module offers, once for each commandId', async () => {
    const playerId = await settler();
    await upgrade(playerId, 'hall');
    const on = { module: 'village', thing: 'hall' };
    for (const [route, rule] of [
      ['shift', 'shift'],
      ['stop', 'stop'],
    ] as const) {
      const refused = await server.ask(route, { playerId }, why({ ...on, ...(rule === 'shift' && { byMs: 1000 }) }));
      expect(refused).toMatchObject({ status: 409, body: { code: 'module/not-offered', params: { rule } } });
    }
    const { modules } = (await server.ask('modules')).body;
    expect(modules).toMatchObject([
      { name: 'ovens', version: 1, canShift: false, canStop: false },
      { name: 'pets', kind: 'feeding', canShift: true, canStop: true },
      {
        name: 'village',
        kind: 'village',
        canShift: false,
        canStop: false,
        items: ['wood', 'gold', 'hourglass', 'flag'],
      },
      { name: 'wells', version: 3, canShift: true, canStop: false },
    ]);
    expect(modules.find(({ name }) => name === 'pets')?.words.en?.events?.['pet-released']).toBe('released');
    await server.play(playerId, { type: 'wells:dig', name: 'hall' });
    const body = why({ module: 'wells', thing: 'hall', run: `${playerId}~hall`, byMs: 1000 });
    const first = await server.ask('shift', { playerId }, body);
    expect(first.body.answer.events).toMatchObject([{ type: 'wells/dug', thing: 'hall' }]);
    expect(await server.ask('shift', { playerId }, body)).toEqual(first);
    const { entries } = (await server.ask('audit', {}, { target: `player:${playerId}` })).body;
    expect(entries).toMatchObject([{ action: 'shift', actor: 'the-admin', reason: 'because of a test' }]);
  });

  it('is told by a merge what moved, and what stayed behind since the other home has such a one', async () => {
    const [guest, account] = [await settler(), await settler()];
    await upgrade(guest, 'hall');
    await upgrade(guest, 'mill');
    await upgrade(account, 'hall');
    const { answer } = (await server.ask('merge', { playerId: guest }, why({ into: account }))).body;
    expect(answer).toMatchObject({
      moved: [{ module: 'village', thing: 'mill', becomes: 'mill' }],
      left: [{ module: 'village', thing: 'hall' }],
      aboveLimit: [],
    });
    const dueAtMs = START_MS + HOUR_MS + (server.clock.nowMs() - START_MS);
    expect(await explain(account, { module: 'village', thing: 'mill' })).toMatchObject({
      dueAtMs,
      isConsistent: true,
      steps: [{ type: 'thing-arrived' }],
    });
    expect(await explain(guest, { module: 'village', thing: 'mill' })).toMatchObject({
      state: 'stopped',
      isConsistent: true,
    });
    expect(await explain(guest, { module: 'village', thing: 'hall' })).toMatchObject({
      state: 'running',
      dueAtMs,
      isConsistent: true,
      steps: [{ type: 'village/queued' }, { type: 'village/started' }],
    });
  });

  it('verifies what players have of all modules', async () => {
    const playerId = await settler();
    for (const site of ['hall', 'mill', 'barn']) await upgrade(playerId, site);
    const modules = new Modules([pets(), village, wells]);
    const found: HomeDifference[] = [];
    const verified = () =>
      verify({
        modules,
        store: new PostgresVerifyStore({ database: new Database({ pool: server.pool, schema: 'kibble' }), modules }),
        checksItems: true,
        onDifference: (difference) => found.push(difference),
        onProgress: () => undefined,
        signal: new AbortController().signal,
      });
    const before = await verified();
    expect(found).toEqual([]);
    const raise = (by: number) =>
      server.pool.query(
        `update kibble.thing set state = jsonb_set(state, '{level}', to_jsonb((state->>'level')::int + $2))
         where player_id = $1 and thing_id = 'hall'`,
        [playerId, by],
      );
    await raise(1);
    expect(await verified()).toMatchObject({ players: before.players, differences: 1 });
    expect(found).toMatchObject([{ playerId, at: 'things.village.hall.level', expected: 0, found: 1 }]);
    await raise(-1);
  });

  it('exports and erases what a player has of all modules', async () => {
    const playerId = await settler();
    await upgrade(playerId, 'hall');
    const data = (await server.ask('exportPlayer', { playerId })).body;
    expect(data.things).toMatchObject([{ module: 'village', thing_id: 'hall' }]);
    const { removed } = (await server.ask('erase', { playerId }, why())).body.answer;
    expect(removed).toMatchObject({ thing: 1, home: 1 });
    expect((await server.ask('player', { playerId })).status).toBe(404);
  });
});

describe('an entry of the log', () => {
  /** An oven is lit, and ready an hour later; that is noticed so late. */
  const baked = async (playerId: string, lateMs: number): Promise<string> => {
    const run = `${playerId}~r${server.clock.nowMs()}`;
    await server.play(playerId, { type: 'ovens:light', name: 'stove' });
    server.clock.advance(HOUR_MS + lateMs);
    await server.kibble.runDue();
    return run;
  };
  const lastOf = async (playerId: string) => (await server.ask('log', { playerId }, { limit: '1' })).body.entries[0];

  it('says what the clock said where it was written a second or more after its own time, and only there', async () => {
    const playerId = await settler();
    const run = await baked(playerId, 999);
    expect(await lastOf(playerId)).toMatchObject({ event: { type: 'ovens/done' } });
    expect(await lastOf(playerId)).not.toHaveProperty('readAtMs');
    const late = await baked(playerId, 22_000);
    const readAtMs = server.clock.nowMs();
    const at = readAtMs - 22_000;
    expect(await lastOf(playerId)).toMatchObject({ event: { type: 'ovens/done', at }, readAtMs });
    const stepsOf = async (of: string) => (await explain(playerId, { module: 'ovens', run: of })).steps;
    expect((await stepsOf(late)).at(-1)).toMatchObject({ type: 'ovens/done', at, readAtMs });
    expect((await stepsOf(run)).at(-1)).not.toHaveProperty('readAtMs');
    const { events } = (await server.ask('exportPlayer', { playerId }, {}, 'support')).body;
    expect(events).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'ovens/done', at, readAtMs })]));
  });

  it('names its run so that it can be asked for, as the event does it too', async () => {
    const playerId = await settler();
    const run = await baked(playerId, 0);
    expect(await lastOf(playerId)).toMatchObject({ module: 'ovens', thing: 'stove', run });
    const explained = await explain(playerId, { module: 'ovens', run });
    expect(explained).toMatchObject({ run, state: 'completed' });
    expect(await explain(playerId, { module: 'ovens', run: run.slice(playerId.length + 1) })).toEqual(explained);
    expect((await server.ask('search', {}, { q: run })).body.hits).toMatchObject([{ type: 'run', module: 'ovens' }]);
  });
});
