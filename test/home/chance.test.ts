import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { Database } from '../../server/adapter/postgres/database.ts';
import { PostgresHomeStore } from '../../server/adapter/postgres/home/home-store.ts';
import { PostgresEraseStore } from '../../server/adapter/postgres/ops/erase-store.ts';
import { PostgresOpsReads } from '../../server/adapter/postgres/ops/ops-reads.ts';
import { beginEpoch } from '../../server/adapter/postgres/schema/epoch.ts';
import { withTransaction } from '../../server/adapter/postgres/transaction.ts';
import { judge } from '../../server/domain/decide.ts';
import { Modules } from '../../server/domain/modules.ts';
import type { HomeService } from '../../server/home/home-service.ts';
import { bitsBy } from '../../server/home/model/draw-bits.ts';
import { type HomeStore, type LoadedHomes, seedOf } from '../../server/home/model/home-store.ts';
import { limits } from '../../server/settings/config.ts';
import { defineModule } from '../../shared/module/module.ts';
import { storeWith } from '../support/game/fake-homes.ts';
import { type HomeDatabase, homeDatabase } from '../support/postgres/home-database.ts';
import { prove } from '../support/properties/prove.ts';

/** Draws in each rule that may: enough numbers that no two draws are one by chance. */
const dice = defineModule({
  name: 'dice',
  thing: z.object({ drawn: z.int().optional(), dueAtMs: z.int().optional() }),
  initial: {},
  events: { thrown: z.object({ drawn: z.int(), dueAtMs: z.int().optional() }), fallen: z.object({ drawn: z.int() }) },
  commands: { throw: z.object({ lastsMs: z.int().optional() }) },
}).rules({
  open: ({ chance }) => [{ type: 'thrown', thing: 'first', drawn: chance.whole(1, 2 ** 50) }],
  decide: {
    throw: ({ newId, chance, nowMs, payload: { lastsMs } }) => [
      {
        type: 'thrown',
        thing: newId,
        drawn: chance.whole(1, 2 ** 50),
        ...(lastsMs !== undefined && { dueAtMs: nowMs + lastsMs }),
      },
    ],
  },
  evolve: {
    thrown: (_, { drawn, dueAtMs }) => ({ drawn, ...(dueAtMs !== undefined && { dueAtMs }) }),
    fallen: () => undefined,
  },
  dueAtMs: ({ dueAtMs }) => dueAtMs,
  complete: ({ id, chance }) => [{ type: 'fallen', thing: id, drawn: chance.whole(1, 2 ** 50) }],
  doneOf: (events) => events.flatMap(({ thing }) => thing),
});

const modules = new Modules([dice]);
let database: HomeDatabase;
let homes: HomeService;
let sent = 0;

beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
  homes = process();
});
afterAll(() => database.drop());

const on = () => new Database({ pool: database.pool, schema: 'kibble' });
/** As another process has it, or one that starts later. */
const storeOf = () => new PostgresHomeStore({ database: on(), modules, limits: limits.transaction });
const process = (store: HomeStore = storeOf()): HomeService => database.service({ modules, store });
const toss = (by: HomeService, playerId: string, lastsMs?: number) =>
  by.handle([
    {
      playerId,
      commandId: `command-${++sent}`,
      command: { type: 'dice:throw', ...(lastsMs !== undefined && { lastsMs }) },
    },
  ]);
const drawnOf = (events: readonly object[]) => events.flatMap((event) => ('drawn' in event ? [event.drawn] : []));
const drawn = async (playerId: string) => drawnOf(await storeOf().events(playerId, 0, 100));
const erase = (playerId: string) =>
  withTransaction(database.pool, (tx) => new PostgresEraseStore(on()).erase(tx, playerId));

describe('draws on Postgres', () => {
  it('are in the log, of each rule another one, and a command that is sent again draws nothing anew', async () => {
    const order = { playerId: 'ann', commandId: 'the-same-id', command: { type: 'dice:throw', lastsMs: 0 } };
    const [first] = await homes.handle([order]);
    const [again, elsewhere] = [await homes.handle([order]), await process().handle([order])];
    expect([again, elsewhere]).toEqual([[first], [first]]);
    const all = await drawn('ann');
    expect(new Set(all).size).toBe(3);
    expect(drawnOf(first?.ok ? first.value.events : [])).toEqual(all.slice(1));
  });

  it('are the same in another process, also where the first commit was lost', async () => {
    const lost: unknown[] = [];
    const store = storeOf();
    const losing = storeWith(store, async (request, decide) =>
      store.change(request, (loaded) => {
        const { value } = decide(loaded);
        lost.push(value);
        return { changes: [], value };
      }),
    );
    const [told] = await toss(process(losing), 'bea', 0);
    await toss(process(), 'bea', 0);
    expect(lost).toHaveLength(1);
    expect(await drawn('bea')).toEqual([expect.anything(), ...drawnOf(told?.ok ? told.value.events : [])]);
  });

  it('of an opening are those that were shown before', async () => {
    const [view] = await homes.look(['cleo']);
    const { drawn: shownFirst } = Object(view?.home.things.dice?.first);
    const shown = await database.service({ modules, store: storeOf() }).quote('cleo', { type: 'dice:throw' });
    expect(shown.ok).toBe(true);
    await toss(homes, 'cleo');
    expect(await drawn('cleo')).toEqual([shownFirst, expect.any(Number)]);
  });

  it('are made in a transaction of the game’s own; a merge opens nothing, so it draws nothing anew', async () => {
    const service = process();
    const { outcomes } = await withTransaction(database.pool, (tx) =>
      service.handleIn(tx, [
        { playerId: 'gast', commandId: 'command-tx', command: { type: 'dice:throw', lastsMs: 1 } },
      ]),
    );
    expect(outcomes).toMatchObject([{ ok: true }]);
    const merge = { guestId: 'gast', accountId: 'dan', commandId: 'merge-001', by: 'ada', reason: 'one player' };
    await withTransaction(database.pool, (tx) => process().mergeIn(tx, merge));
    expect(await drawn('dan')).toEqual([]);
    expect((await homes.look(['dan']))[0]?.home.things).toMatchObject({ dice: { first: {} } });
  });
});

/** A quote's draw, by a way to quote; throws if the command then draws the same. */
const holdSecret = async (
  playerId: string,
  quote: (playerId: string) => Promise<readonly unknown[]>,
): Promise<void> => {
  const said = await quote(playerId);
  const [outcome] = await toss(homes, playerId, 0);
  const told = drawnOf(outcome?.ok ? outcome.value.events : []);
  if (said.some((each) => told.includes(each as never))) throw new Error('a quote tells what will be drawn');
};

describe('a quote', () => {
  it('draws, says so, and tells nothing of what will be drawn', async () => {
    await toss(homes, 'eva');
    await holdSecret('eva', async () => {
      const quoted = await homes.quote('eva', { type: 'dice:throw', lastsMs: 0 });
      expect(quoted).toMatchObject({ ok: true, value: { chance: true } });
      const said = drawnOf(quoted.ok ? quoted.value.events : []);
      expect(said).toHaveLength(2);
      return said;
    });
  });

  it('would tell it under the label of the command', async (context) => {
    await toss(homes, 'fay');
    const asTheCommand = async (playerId: string) => {
      const { value } = await storeOf().change({ playerIds: [playerId], commands: [], waits: true }, (loaded) => {
        const home = loaded.homes.get(playerId);
        if (!home) throw new Error('no home');
        const asked = { modules, home, command: { type: 'dice:throw', lastsMs: 0 }, commandId: '' };
        const { decision } = judge({ ...asked, nowMs: loaded.nowMs, seed: seedOf(loaded, playerId) });
        return { changes: [], value: drawnOf(decision.ok ? decision.value : []) };
      });
      return value;
    };
    await expect(holdSecret('fay', asTheCommand)).rejects.toThrow('tells what will be drawn');
    prove(context, { row: 29, tries: 1, of: 'planted faults of chance, all found' });
  });

  it('says nothing of chance where none is drawn, and draws ahead for when it will be done', async () => {
    const granted = await homes.quote('eva', { type: 'dice:throw', lastsMs: 60_000 });
    expect(granted).toMatchObject({ ok: true, value: { chance: true, doneAt: expect.any(Number) } });
    const still = new Modules([
      { ...dice, decide: { throw: () => [{ type: 'fallen', thing: 'x', drawn: 0 }] } as never },
    ]);
    const plain = await database.service({ modules: still, store: storeOf() }).quote('eva', { type: 'dice:throw' });
    expect(plain).toMatchObject({ ok: true });
    expect(plain.ok && 'chance' in plain.value).toBe(false);
  });
});

/** Plays, lets what was played be forgotten, and plays the same: throws where the same is drawn. */
const holdNew = async (playerId: string, forget: () => Promise<unknown>, later: () => HomeService): Promise<void> => {
  const play = async (by: HomeService) => {
    await toss(by, playerId, 0);
    return drawn(playerId);
  };
  const before = await play(process());
  await forget();
  const after = await play(later());
  if (after.length !== before.length) throw new Error('it was not played anew');
  if (after.some((each) => before.includes(each))) throw new Error('what was drawn is drawn again');
};

describe('what was drawn once is not drawn again', () => {
  it('when an erased player comes back', async () => {
    await holdNew('gil', () => erase('gil'), process);
  });

  it('but would be without the life', async (context) => {
    const store = storeOf();
    const withoutLives = storeWith(store, (request, decide) =>
      store.change(request, (loaded) => decide({ ...loaded, lives: new Map() })),
    );
    const forgetting = () => process(withoutLives);
    await expect(holdNew('hal', () => erase('hal'), forgetting)).rejects.toThrow('is drawn again');
    prove(context, { row: 29, tries: 1, of: 'planted faults of chance, all found' });
  });

  /** As after a restore of an older backup: nothing of it is there. */
  const restore = (playerId: string) =>
    database.pool.query(
      `with a as (delete from kibble.home where player_id = '${playerId}'),
         b as (delete from kibble.thing where player_id = '${playerId}')
       delete from kibble.event where player_id = '${playerId}'`,
    );

  it('when a backup is restored and a new epoch begins, also for an erased player', async () => {
    await holdNew('ida', () => restore('ida').then(() => beginEpoch(on())), process);
    await holdNew('jan', () => erase('jan').then(() => beginEpoch(on())), process);
  });

  it('but would be without a new epoch', async (context) => {
    await expect(holdNew('kai', () => restore('kai'), process)).rejects.toThrow('is drawn again');
    prove(context, { row: 29, tries: 1, of: 'planted faults of chance, all found' });
  });

  it('by one that has the epoch and the secret of another database apart: each of them is a part', async (context) => {
    const store = storeOf();
    const of = (chance: Partial<LoadedHomes['chance']>) => () =>
      process(
        storeWith(store, (request, decide) =>
          store.change(request, (loaded) => decide({ ...loaded, chance: { ...loaded.chance, ...chance } })),
        ),
      );
    await holdNew('lea', () => restore('lea'), of({ bits: bitsBy('of another') }));
    await holdNew('mia', () => restore('mia'), of({ epoch: 'another' }));
    await expect(holdNew('noa', () => restore('noa'), of({}))).rejects.toThrow('is drawn again');
    prove(context, { row: 29, tries: 1, of: 'planted faults of chance, all found' });
  });
});

it('the secret is in no export, no read of operators, no event, no view and no quote', async () => {
  const { rows } = await database.pool.query<{ secret: string }>('select secret from kibble.epoch');
  const service = process();
  const reads = new PostgresOpsReads({ database: on(), modules });
  const said = JSON.stringify([
    await toss(service, 'eva', 0),
    await service.look(['eva']),
    await service.quote('eva', { type: 'dice:throw' }),
    await service.sync('eva', { afterSeq: 0 }),
    await reads.everything('eva'),
    await reads.home('eva'),
    await reads.wholeLog('eva'),
  ]);
  expect(said).toContain('thrown');
  expect(said).not.toContain(rows[0]?.secret.slice(0, 36));
  expect(said).not.toContain(rows[0]?.secret.slice(36));
});
