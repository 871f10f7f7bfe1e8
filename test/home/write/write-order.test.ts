import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { HomeOrder } from '../../../server/home/model/homes.ts';
import { limits } from '../../../server/settings/config.ts';
import { storeWith } from '../../support/game/fake-homes.ts';
import { type HomeDatabase, homeDatabase } from '../../support/postgres/home-database.ts';

let database: HomeDatabase;
beforeAll(async () => {
  database = await homeDatabase(inject('postgresUrl'));
});
afterAll(() => database.drop());

const adopt = (playerId: string): HomeOrder => ({
  playerId,
  commandId: `adopt-for-${playerId}`,
  command: { type: 'home:adopt', name: 'Rex', species: 'dog' },
});

const oneAtATime = { ...limits.writePath, parallelBatches: 1, parallelFires: 1, pageMax: limits.events.pageMax };

/** The store with a listener for batches; the first batch waits until `release`. */
const heldStore = () => {
  const { store } = database;
  const batches: (readonly string[])[] = [];
  const first = Promise.withResolvers<void>();
  const watched = storeWith(store, async (request, decide) => {
    batches.push(request.playerIds);
    if (batches.length === 1) await first.promise;
    return store.change(request, decide);
  });
  return { store: watched, batches, release: first.resolve };
};

describe('the write path', () => {
  it('serves a command before fires that came earlier', async () => {
    const { store, batches, release } = heldStore();
    const service = database.service({ store, limits: oneAtATime });
    const running = service.settle(['running']);
    await vi.waitUntil(() => batches.length === 1);
    const fired = service.settle(['fired-1', 'fired-2']);
    const asked = service.handle([adopt('asked')]);
    release();
    await Promise.all([running, fired, asked]);
    expect(batches).toEqual([['running'], ['asked'], ['fired-1', 'fired-2']]);
  });

  it('takes few fires at once, so that commands wait for few, and all commands that wait', async () => {
    const { store, batches, release } = heldStore();
    const service = database.service({ store, limits: { ...oneAtATime, firesPerBatch: 2 } });
    const herd = service.settle(['herd-1', 'herd-2', 'herd-3', 'herd-4', 'herd-5']);
    await vi.waitUntil(() => batches.length === 1);
    const asked = service.handle(['asked-1', 'asked-2', 'asked-3'].map(adopt));
    release();
    await Promise.all([herd, asked]);
    expect(batches).toEqual([
      ['herd-1', 'herd-2'],
      ['asked-1', 'asked-2', 'asked-3'],
      ['herd-3', 'herd-4'],
      ['herd-5'],
    ]);
  });

  it('reads the time after it has the locks of the homes', async () => {
    await database.service().handle([adopt('locked')]);
    const [holder, waiter] = [await database.pool.connect(), await database.pool.connect()];
    try {
      const { rows } = await waiter.query<{ pid: number }>('select pg_backend_pid() as pid');
      await holder.query("begin; select from kibble.home where player_id = 'locked' for update");
      await waiter.query('begin');
      const changing = database.store.changeIn(
        waiter,
        { playerIds: ['locked'], commands: [], waits: true },
        ({ nowMs }) => ({ changes: [], value: nowMs }),
      );
      await vi.waitUntil(async () => {
        const waiting = await database.pool.query('select from pg_locks where not granted and pid = $1', [
          rows[0]?.pid,
        ]);
        return waiting.rowCount === 1;
      });
      const releasedAtMs = await database.store.nowMs();
      await holder.query('commit');
      const { value: decidedAtMs } = await changing;
      await waiter.query('commit');
      expect(decidedAtMs).toBeGreaterThanOrEqual(releasedAtMs);
    } finally {
      holder.release();
      waiter.release();
    }
  });
});
