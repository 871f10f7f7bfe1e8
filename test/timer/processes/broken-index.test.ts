import { isDeepStrictEqual } from 'node:util';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createKibble, silent } from '../../../server/kibble.ts';
import { defineModule } from '../../../shared/module/module.ts';
import { until } from '../../chaos/play/within.ts';
import { HANG_MS, timed, tries } from '../../proof/table/tries.ts';
import { createDatabase } from '../../support/postgres/postgres-server.ts';
import { prove } from '../../support/properties/prove.ts';
import { startRedis } from '../../support/redis/redis-server.ts';

/** Own timers; there are as many of things. */
const OWN = tries({ test: 2_000, proof: 50_000 });
/** One in so many is due soon. */
const SOON_EVERY = 10;
const SOON_MS = tries({ test: 25_000, proof: 55_000 });
const LATE_MS = 3_600_000;
const PART = 500;
const NEAR_BOUND_MS = timed(5_000);
const FAR_BOUND_MS = timed(60_000);
const LIMIT_MS = 120_000;

const garden = defineModule({
  name: 'garden',
  thing: z.object({ ripeAtMs: z.int() }),
  initial: { ripeAtMs: 0 },
  items: ['crop'],
  events: { sown: z.object({ ripeAtMs: z.int() }), reaped: z.object({}) },
  commands: { sow: z.object({ growMs: z.int() }) },
}).rules({
  decide: { sow: ({ payload, nowMs, newId }) => [{ type: 'sown', thing: newId, ripeAtMs: nowMs + payload.growMs }] },
  evolve: { sown: (_, { ripeAtMs }) => ({ ripeAtMs }), reaped: () => undefined },
  dueAtMs: ({ ripeAtMs }) => ripeAtMs,
  complete: ({ id }) => [{ type: 'reaped', thing: id, items: { crop: 1 } }],
});

/** What ZSETs of due times hold, by key and member. */
type Entries = ReadonlyMap<string, number>;

/** The ZSETs of all shards, read and broken silently. */
const indexOf = (client: Redis) => {
  const entries = async (): Promise<Entries> => {
    const found = new Map<string, number>();
    for (const key of (await client.keys('*due')).sort()) {
      const flat = await client.zrange(key, 0, -1, 'WITHSCORES');
      for (let at = 0; at < flat.length; at += 2) found.set(`${key} ${flat[at]}`, Number(flat[at + 1]));
    }
    return found;
  };
  /** One after the other is removed, moved forth and back, and doubled: by an id that no row has. */
  const breakSome = async (all: Entries): Promise<number> => {
    const pipeline = client.pipeline();
    const broken = [...all].filter((_, at) => at % 10 === 3);
    for (const [at, [name, score]] of broken.entries()) {
      const [key = '', member = ''] = name.split(' ');
      if (at % 4 === 0) pipeline.zrem(key, member);
      if (at % 4 === 1) pipeline.zadd(key, score + 1_000, member);
      if (at % 4 === 2) pipeline.zadd(key, score - 1_000, member);
      if (at % 4 === 3) pipeline.zadd(key, score, `9000000000${member}`);
    }
    await pipeline.exec();
    return broken.length;
  };
  return { entries, breakSome };
};

it.skipIf(inject('redisUrl') === '')(
  `of ${2 * OWN} timers, own and of things, entries that are removed, moved or doubled heal; each of the ${(2 * OWN) / SOON_EVERY} that come due fires once, never early`,
  { timeout: HANG_MS },
  async (context) => {
    const [database, redis] = [await createDatabase(inject('postgresUrl')), await startRedis()];
    const pool = new Pool({ connectionString: database.url, max: 10 });
    const client = new Redis(redis.url);
    const fired: { readonly subject: string; readonly earlyMs: number }[] = [];
    const kibble = createKibble({
      pool,
      redis: redis.url,
      log: silent,
      modules: [garden],
      playerId: ({ sub }) => sub,
      kinds: [
        {
          kind: 'order',
          fire: async (timers, tx) => {
            const { rows } = await tx.query<{ now: number }>('select extract(epoch from now())::float8 * 1000 as now');
            fired.push(...timers.map(({ subject, dueAtMs }) => ({ subject, earlyMs: dueAtMs - Number(rows[0]?.now) })));
            return undefined;
          },
        },
      ],
    });
    onTestFinished(async () => {
      await kibble.lifecycle.shutdown();
      await pool.end();
      client.disconnect();
      await redis.stop();
      await database.drop();
    });
    await kibble.lifecycle.boot();
    // Postgres' own time of each event: `read_at` is what the engine took for the time.
    await pool.query(`create table wrote (player_id text, seq int, at_ms float8);
      create function note() returns trigger language plpgsql as $$ begin
        insert into wrote values (new.player_id, new.seq, extract(epoch from clock_timestamp()) * 1000);
        return null;
      end $$;
      create trigger note after insert on kibble.event for each row execute function note()`);
    const index = indexOf(client);
    const isSoonMs = (await kibble.now()) + LATE_MS / 2;
    const delayOf = (at: number): number => (at % SOON_EVERY === 0 ? SOON_MS : LATE_MS);
    for (let from = 0; from < OWN; from += PART) {
      const part = Array.from({ length: PART }, (_, at) => from + at);
      const nowMs = await kibble.now();
      await kibble.timers.schedule(
        part.map((at) => ({
          ...{ kind: 'order', subject: `order-${at}`, owner: `ann-${at % 997}` },
          dueAtMs: nowMs + delayOf(at),
        })),
      );
      const outcomes = await kibble.homes.handle(
        part.map((at) => ({
          ...{ playerId: `bob-${at % 97}`, type: 'garden:sow' },
          payload: { commandId: `command-${at}`, growMs: delayOf(at) },
        })),
      );
      expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
    }
    await until('the index has each timer', LIMIT_MS, async () => (await index.entries()).size === 2 * OWN);

    const [seen, broken] = [[] as string[], [] as number[]];
    const heal = async (what: string, boundMs: number, isIn: (atMs: number) => boolean): Promise<void> => {
      const entries = async () => new Map([...(await index.entries())].filter(([, atMs]) => isIn(atMs)));
      const before = await entries();
      broken.push(await index.breakSome(before));
      expect(await entries()).not.toEqual(before);
      const brokenAtMs = performance.now();
      await until(`${what} is as before`, LIMIT_MS, async () => isDeepStrictEqual(await entries(), before));
      const tookMs = performance.now() - brokenAtMs;
      expect(tookMs).toBeLessThan(boundMs);
      seen.push(`${broken.at(-1)} entries of ${before.size} ${what} healed after ${(tookMs / 1000).toFixed(1)} s`);
    };
    await heal('near', NEAR_BOUND_MS, (atMs) => atMs < isSoonMs);
    await heal('far', FAR_BOUND_MS, (atMs) => atMs >= isSoonMs);

    const soon = OWN / SOON_EVERY;
    const reaped = async () =>
      (
        await pool.query(`select player_id, body, at, at_ms from kibble.event join wrote using (player_id, seq)
          where type = 'garden/reaped'`)
      ).rows;
    await until(
      'what is near has fired',
      LIMIT_MS,
      async () => fired.length >= soon && (await reaped()).length >= soon,
    );
    expect(new Set(fired.map(({ subject }) => subject)).size).toBe(soon);
    expect(fired).toHaveLength(soon);
    expect(fired.filter(({ earlyMs }) => earlyMs > 0)).toEqual([]);
    const things = (await reaped()).map(({ player_id, body }) => `${player_id} ${body.thing}`);
    expect(things).toHaveLength(soon);
    expect(new Set(things).size).toBe(soon);
    expect((await reaped()).filter(({ at, at_ms }) => at_ms < Number(at))).toEqual([]);
    prove(
      context,
      { row: 27, tries: 2 * OWN, of: 'timers, own and of things, beside a broken index', seen: seen.join(', ') },
      {
        row: 27,
        tries: broken.reduce((sum, count) => sum + count, 0),
        of: 'entries of the index removed, moved or doubled',
      },
    );
  },
);
