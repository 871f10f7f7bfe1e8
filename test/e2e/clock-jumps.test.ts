import { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreFault } from '../../server/home/model/faults.ts';
import { createKibble, type Kibble } from '../../server/kibble.ts';
import { NotRetryable } from '../../server/timer/fire/not-retryable.ts';
import { newHome } from '../../shared/home.ts';
import { petsOf } from '../../shared/pets/pet.ts';
import { tries } from '../proof/table/tries.ts';
import { recordedLog } from '../support/log/logs.ts';
import { type FakeTimePostgres, fakeTimeLibrary, startFakeTimePostgres } from '../support/postgres/fake-time.ts';
import { createDatabase } from '../support/postgres/postgres-server.ts';
import { prove } from '../support/properties/prove.ts';

const HOUR_MS = 3_600_000;
const SOON_MS = 3000;
const library = fakeTimeLibrary();

describe.skipIf(library === undefined)(
  'a Postgres whose clock is set while everything serves',
  { timeout: 120_000 },
  () => {
    let postgres: FakeTimePostgres;
    let pool: Pool;
    let kibble: Kibble;
    /** By this process's clock, which the test does not change. */
    const firedAtMs = new Map<string, number>();
    const { log, lines } = recordedLog();
    let isBroken = false;
    let number = 0;

    beforeAll(async () => {
      postgres = await startFakeTimePostgres(library ?? '');
      pool = new Pool({ connectionString: (await createDatabase(postgres.url)).url, max: 8 });
      pool.on('error', () => undefined);
      kibble = createKibble({
        pool,
        log,
        playerId: ({ sub }) => sub,
        kinds: [
          { kind: 'letter', call: async ({ subject }) => void firedAtMs.set(subject, Date.now()) },
          {
            kind: 'order',
            call: async ({ subject }) => {
              if (isBroken) throw new NotRetryable('no such order');
              firedAtMs.set(subject, Date.now());
            },
          },
          {
            kind: 'letter-in-tx',
            fire: async (timers) => {
              for (const { subject } of timers) firedAtMs.set(subject, Date.now());
            },
          },
        ],
      });
      await kibble.lifecycle.boot();
    }, 120_000);
    afterAll(async () => {
      await kibble.lifecycle.shutdown();
      await pool.end();
      await postgres.stop();
    });
    beforeEach(async () => {
      number += 1;
      // After a failure; a clock that was accepted stays as it is.
      if (!kibble.clock.state().isHeld) return;
      postgres.setClock('+0');
      await isHeld(false);
    });

    /** Timers of both kinds, due at this instant. Answers their subjects. */
    const schedule = async (dueAtMs: number): Promise<readonly string[]> => {
      const timers = ['letter', 'letter-in-tx'].map((kind) => ({
        kind,
        subject: `${kind}-${number}-${dueAtMs}`,
        owner: 'ann',
        dueAtMs,
      }));
      await kibble.timers.schedule(timers);
      return timers.map(({ subject }) => subject);
    };
    const haveFired = (subjects: readonly string[]): Promise<void> =>
      vi.waitFor(() => expect(subjects.filter((subject) => !firedAtMs.has(subject))).toEqual([]), { timeout: 30_000 });
    const isHeld = (is: boolean): Promise<void> =>
      vi.waitFor(() => expect(kibble.clock.state().isHeld).toBe(is), { timeout: 20_000 });
    /** A player with a pet that eats for hours. */
    const feed = async (playerId: string): Promise<void> => {
      const send = (type: string, payload: object) => kibble.homes.handle([{ playerId, type, payload } as never]);
      // As clients do: what was not done, for the process stood still longer than a transaction may, is sent again.
      const ask = (...message: Parameters<typeof send>): ReturnType<typeof send> =>
        send(...message).catch((error) => {
          if (error instanceof StoreFault && error.kind === 'down') return ask(...message);
          throw error;
        });
      const [adopted] = await ask('home:adopt', { commandId: `adopt-${playerId}`, name: 'Rex', species: 'dog' });
      const petId = adopted?.ok ? adopted.value.petId : undefined;
      const [fed] = await ask('home:feed', { commandId: `feed-${playerId}`, petId, food: 'dog-food' });
      expect(fed?.ok).toBe(true);
    };
    const isEating = async (playerId: string): Promise<boolean> => {
      const [view] = await kibble.service.look([playerId]);
      return petsOf(view?.home ?? newHome(''))[0]?.feeding !== undefined;
    };

    it.for(['+4h', '-4h', '+0 x60', '+1h', '-1h'].slice(0, tries({ test: 3, proof: 5 })))(
      'set to %s, nothing fires early and nothing is lost; put right, all goes on',
      async (words, context) => {
        const player = `ann-${number}`;
        await feed(player);
        const startMs = Date.now();
        expect(Math.abs((await kibble.now()) - startMs)).toBeLessThan(2000);
        const [soon, far] = [await schedule(startMs + SOON_MS), await schedule(startMs + HOUR_MS / 2)];

        postgres.setClock(words);
        await isHeld(true);
        expect(kibble.health.degraded()).toEqual(['clock']);
        const during = await schedule(startMs + SOON_MS + 1000);
        await haveFired([...soon, ...during]);
        // A clock that runs too fast gains two seconds before it is known, and one that is set nothing.
        const isSet = !words.includes('x');
        const mostMs = isSet ? 0 : 2500;
        const firedOf = (subjects: readonly string[]) => subjects.map((subject) => firedAtMs.get(subject) ?? 0);
        expect(Math.min(...firedOf(soon))).toBeGreaterThanOrEqual(startMs + SOON_MS - mostMs);
        expect(Math.min(...firedOf(during))).toBeGreaterThanOrEqual(startMs + SOON_MS + 1000 - mostMs);
        expect(await isEating(player)).toBe(true);
        expect(far.filter((subject) => firedAtMs.has(subject))).toEqual([]);
        expect(Math.abs((await kibble.now()) - Date.now())).toBeLessThan(5000);

        postgres.setClock('+0');
        await isHeld(false);
        expect(kibble.health.degraded()).toEqual([]);
        expect(Math.abs((await kibble.now()) - Date.now())).toBeLessThan(2000);
        expect(far.filter((subject) => firedAtMs.has(subject))).toEqual([]);
        prove(
          context,
          {
            row: 6,
            tries: isSet ? soon.length + during.length : 0,
            of: 'timers beside a jump of the clock of a real Postgres',
          },
          { row: 6, tries: isSet ? 1 : 0, of: 'steps of the clock of Postgres' },
        );
      },
    );

    it.each(['+4h', '-4h'])('set to %s, what operators do and see is on the held time', async (words) => {
      const player = `cy-${number}`;
      await feed(player);
      const handlers = kibble.ops.handlers();
      const by = (timerId: string, input: object = {}) =>
        ({
          operator: { name: 'olga', role: 'admin' },
          parts: { playerId: '', timerId, feedingId: '', jobId: '', kind: '', module: '' },
          input: { commandId: `${timerId}-${number}`, reason: 'a test', ...input },
        }) as never;
      const subjectOf = (what: string): string => `${what}-${number}`;
      const wanted = (what: string, dueAtMs: number) =>
        kibble.timers.schedule([{ kind: 'order', subject: subjectOf(what), owner: player, dueAtMs }]);
      const idOf = (outcomes: Awaited<ReturnType<typeof wanted>>): string =>
        outcomes.map((outcome) => ('timer' in outcome ? outcome.timer.id : '')).join();
      isBroken = true;
      const dead = idOf(await wanted('revived', Date.now()));
      await vi.waitFor(
        async () => expect((await kibble.timers.find([{ timerId: dead }]))[0]?.state).toBe('dead'),
        20_000,
      );
      isBroken = false;
      const [fired, shifted] = [
        idOf(await wanted('fired', Date.now() + HOUR_MS)),
        idOf(await wanted('shifted', Date.now() + HOUR_MS)),
      ];

      postgres.setClock(words);
      await isHeld(true);
      const done = [
        await handlers.fireTimer(by(fired)),
        await handlers.reviveTimer(by(dead)),
        await handlers.shiftTimer(by(shifted, { byMs: -HOUR_MS })),
      ];
      expect(done).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
      await haveFired(['fired', 'revived', 'shifted'].map(subjectOf));

      const isNow = (ms: number | undefined): void => expect(Math.abs((ms ?? 0) - Date.now())).toBeLessThan(5000);
      const near = idOf(await wanted('near', Date.now() + HOUR_MS / 2));
      const overview = await handlers.overview(by(near));
      expect(overview).toMatchObject({ ok: true, value: { overdue: 0 } });
      isNow(overview.ok ? overview.value.nowMs : 0);
      const upcoming = await handlers.upcoming(by(near, { window: '1h' }));
      expect(upcoming).toMatchObject({ ok: true, value: { overdue: 0 } });
      expect(await handlers.timer(by(near))).toMatchObject({ ok: true, value: { isOverdue: false } });
      const audit = await handlers.audit(by(near, { target: `timer:${fired}` }));
      isNow(audit.ok ? audit.value.entries[0]?.atMs : 0);
      const made = await handlers.createJob(by(near, { items: { snack: 1 }, filter: { playerIds: [player] } }));
      expect(made).toMatchObject({ ok: true });
      const listed = await handlers.jobs(by(near));
      isNow(listed.ok ? listed.value.jobs[0]?.createdAtMs : 0);

      await kibble.timers.cancel([{ timerId: near }]);
      postgres.setClock('+0');
      await isHeld(false);
    });

    /** The process holds its time a moment before it has noted so, and an operator finds nothing to put right until then. */
    const sayInSql = async (): Promise<void> => {
      const said = await pool.query('update kibble.clock set held_by_ms = 0 where held_by_ms <> 0');
      expect(said.rowCount).toBe(1);
    };
    const ways: readonly [string, string, () => Promise<unknown>][] = [
      ['', '+5h', () => kibble.clock.accept()],
      [' in SQL', '+10h', () => vi.waitFor(sayInSql, { timeout: 20_000 })],
    ];
    it.each(ways)('set ahead, and an operator says it is right%s: what is due by it fires', async (how, clock, say) => {
      const startMs = await kibble.now();
      await feed(`bea${how.length}`);
      const far = await schedule(startMs + HOUR_MS);
      postgres.setClock(clock);
      await isHeld(true);
      const text = await kibble.metrics.metrics();
      expect(Number(/^kibble_clock_held_by_seconds (\S+)$/m.exec(text)?.[1])).toBeCloseTo(5 * 3600, -1);
      await say();
      await isHeld(false);
      expect(kibble.health.degraded()).toEqual([]);
      await haveFired(far);
      expect(await isEating(`bea${how.length}`)).toBe(false);
      expect((await kibble.now()) - startMs).toBeGreaterThan(4 * HOUR_MS);
      expect(lines.at(-1)).toMatchObject({ level: 'info', code: 'clock/followed' });
    });
  },
);
