import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EngineLog } from '../../server/runtime/engine-log.ts';
import {
  again,
  type CallKind,
  createTimers,
  type FireKind,
  type HandlerTx,
  ManualClock,
  type OwnTransaction,
  type Timer,
  type TimerService,
  type TimersOptions,
} from '../../server/timers.ts';
import { guardedLog } from '../../server/wiring/console-log.ts';
import { migratedDatabase } from '../support/postgres/home-database.ts';
import { hostDatabase } from '../support/postgres/host-database.ts';
import { prove } from '../support/properties/prove.ts';
import { type CallbacksOf, hostileReturns, hostileThrows, rejectedList, type TakersOf } from './hostile.ts';

const NOW_MS = 1_790_000_000_000;
type Act = () => unknown;
type Said = { readonly level: string; readonly message: string; readonly text: string; readonly kind: unknown };

/** Each hostile thing as a subject: what a handler does for a timer with that subject. */
const throws = new Map<string, Act>(
  hostileThrows.map(({ what, make }) => [
    `throws ${what}`,
    () => {
      throw make();
    },
  ]),
);
const rejects = new Map<string, Act>(
  hostileThrows.map(({ what, make }) => [`rejects with ${what}`, async () => reject(make())]),
);
const returns = new Map<string, Act>(hostileReturns.map(({ what, make }) => [`returns ${what}`, make]));
/** Each callback meets all of them. */
const EACH = throws.size + rejects.size + returns.size;
const reject = (thrown: unknown): Promise<never> => Promise.reject(thrown);

/** A game with a manual clock: kinds that a test controls, beside one that must be in time. */
const gameOn = async (act: (subject: string, tx?: HandlerTx) => unknown, log?: EngineLog) => {
  const { pool } = await hostDatabase(4, migratedDatabase);
  const clock = new ManualClock(NOW_MS);
  const lines: Said[] = [];
  const at = (level: string) => (fields: object, message: string) => {
    const { err, kind } = fields as { readonly err?: Error; readonly kind?: unknown };
    lines.push({ level, message, text: err?.message ?? '', kind });
  };
  const beside: number[] = [];
  const lives: unknown[] = [];
  const ended = (reason: unknown): void => void lives.push(reason);
  process.on('unhandledRejection', ended);
  const fire = (async (timers: readonly Timer[], tx: HandlerTx) =>
    Promise.all(timers.map(({ subject }) => act(subject, tx))).then(([first]) => first)) as FireKind['fire'];
  const call: CallKind['call'] = (async ({ subject }: Timer) => act(subject)) as CallKind['call'];
  const game = createTimers({
    pool,
    clock,
    log: log ?? { info: at('info'), warn: at('warn'), error: at('error') },
    kinds: [
      { kind: 'fires', fire, retryDelaysMs: [60_000] },
      { kind: 'calls', call, retryDelaysMs: [60_000], atOnce: 64 },
      {
        kind: 'beside',
        fire: async (timers) => void beside.push(...timers.map(({ dueAtMs }) => clock.nowMs() - dueAtMs)),
      },
    ],
  });
  await game.lifecycle.boot();
  onTestFinished(async () => {
    await game.lifecycle.shutdown();
    process.off('unhandledRejection', ended);
  });
  /** Fires one timer a subject, and one beside each; returns the rows by subject. */
  const run = async (kind: 'fires' | 'calls', subjects: Iterable<string>): Promise<ReadonlyMap<string, Timer>> => {
    const keys = [...subjects].map((subject) => ({ kind, subject }));
    const due = { owner: 'ann', dueAtMs: clock.nowMs() + 1000 };
    await game.timers.schedule(
      keys.flatMap((key) => [
        { ...key, ...due },
        { ...key, kind: 'beside', ...due },
      ]),
    );
    clock.advance(1000);
    await game.runDue();
    await new Promise(setImmediate);
    expect(beside.splice(0)).toEqual(keys.map(() => 0));
    expect(lives).toEqual([]);
    const rows = await game.timers.find(keys);
    return new Map(rows.flatMap((row) => (row ? [[row.subject, row]] : [])));
  };
  return { ...game, clock, lines, run };
};

/** Each is an attempt, counted once, and its row says what was thrown. */
const expectAttempts = (rows: ReadonlyMap<string, Timer>): void => {
  expect(rows.size).toBe(hostileThrows.length);
  for (const { what, said } of hostileThrows) {
    const row = rows.get(`throws ${what}`) ?? rows.get(`rejects with ${what}`);
    expect([what, row?.state, row?.attempt, row?.claims]).toEqual([what, 'scheduled', 1, 0]);
    expect(row?.lastError).toMatch(said);
  }
};

/** All callbacks of the public types of timers, each with a test that returns its tries. */
const rows = {
  'FireKind.fire': async () => {
    const { run, lines } = await gameOn((subject) =>
      (throws.get(subject) ?? rejects.get(subject) ?? returns.get(subject))?.(),
    );
    expectAttempts(await run('fires', throws.keys()));
    expectAttempts(await run('fires', rejects.keys()));
    expect(lines.filter(({ kind }) => kind === 'fires')[0]?.text).toMatch(/^handler of kind "fires": /);
    for (const [what, row] of await run('fires', returns.keys())) {
      // A result that is no map is a fault; a rejected promise is the fault of its reason.
      const isNothing = what === 'returns null';
      expect([what, row.state, row.attempt]).toEqual([what, isNothing ? 'completed' : 'scheduled', isNothing ? 0 : 1]);
    }
    return EACH;
  },
  'CallKind.call': async () => {
    const called: string[] = [];
    const { run, lines } = await gameOn((subject) => {
      called.push(subject);
      return (throws.get(subject) ?? rejects.get(subject) ?? returns.get(subject))?.();
    });
    expectAttempts(await run('calls', throws.keys()));
    expectAttempts(await run('calls', rejects.keys()));
    expect(lines.filter(({ kind }) => kind === 'calls')[0]?.text).toMatch(/^handler of kind "calls": /);
    called.length = 0;
    const kept = await run('calls', returns.keys());
    expect(called.toSorted()).toEqual([...returns.keys()].toSorted());
    // Awaiting them throws or rejects, so these calls have failed.
    const failing = new Set([
      'a thenable that throws',
      'a thenable whose `then` cannot be read',
      'a promise that is rejected',
      'a revoked proxy',
      'an object each of whose fields throws',
    ]);
    for (const { what } of hostileReturns) {
      const row = kept.get(`returns ${what}`);
      expect([what, row?.state]).toEqual([what, failing.has(what) ? 'scheduled' : 'completed']);
    }
    const resultOf = (what: string) => kept.get(`returns ${what}`)?.result;
    expect(resultOf('a Date')).toBe('1970-01-01T00:00:00.000Z');
    expect(resultOf('a number')).toBe(7);
    expect(resultOf('a BigInt')).toEqual({ notKept: expect.stringContaining('BigInt') });
    expect(resultOf('a circular object')).toEqual({ notKept: expect.stringContaining('circular') });
    expect(resultOf('parts in very many places')).toEqual({ notKept: expect.stringContaining('a million characters') });
    expect(resultOf('text with NUL')).toEqual({ notKept: expect.stringContaining('U+0000') });
    expect(resultOf('half an emoji')).toEqual({ notKept: expect.stringContaining('surrogate') });
    expect(resultOf('text of two megabytes')).toEqual({ notKept: expect.stringContaining('a million characters') });
    return EACH;
  },
  'HandlerTx.afterCommit': async () => {
    const { run, lines } = await gameOn((subject, tx) => {
      tx?.afterCommit((throws.get(subject) ?? rejects.get(subject) ?? returns.get(subject)) as () => void);
    });
    for (const some of [throws, rejects, returns]) {
      for (const row of (await run('fires', some.keys())).values())
        expect([row.state, row.attempt]).toEqual(['completed', 0]);
    }
    const told = lines.filter(({ message }) => message === 'a handler failed after its commit');
    expect(told.length).toBeGreaterThanOrEqual(throws.size + rejects.size + 3);
    for (const { text } of told) expect(text).toMatch(/^handler of kind "fires": /);
    return EACH;
  },
  'TimerService.transaction': async () => {
    const { timers } = await gameOn(() => undefined);
    for (const { make } of hostileThrows) {
      const one = make();
      const work = (): Promise<never> => {
        throw one;
      };
      const thrown = await timers.transaction(work).catch((error: unknown) => [error]);
      expect(Array.isArray(thrown) && Object.is(thrown[0], one)).toBe(true);
    }
    expect(await timers.transaction(async ({ nowMs }) => nowMs)).toBe(NOW_MS);
    // Its result is the caller's, so it meets the throws alone.
    return hostileThrows.length;
  },
  'EngineLog.info': () => expectHeld('info'),
  'EngineLog.warn': () => expectHeld('warn'),
  'EngineLog.error': () => expectHeld('error'),
} satisfies Readonly<Record<TimerCallback, () => Promise<number>>>;

type TimerCallback =
  | `FireKind.${CallbacksOf<FireKind>}`
  | `CallKind.${CallbacksOf<CallKind>}`
  | `EngineLog.${CallbacksOf<EngineLog>}`
  | `TimersOptions.${CallbacksOf<TimersOptions>}`
  | `HandlerTx.${TakersOf<HandlerTx>}`
  | `OwnTransaction.${TakersOf<OwnTransaction>}`
  | `TimerService.${TakersOf<TimerService>}`;

/** If a log throws or rejects, the console shows it once. Returns the tries. */
const expectHeld = async (level: keyof EngineLog): Promise<number> => {
  const onConsole = silentConsole();
  const acts = [...throws.values(), ...rejects.values(), ...returns.values()].values();
  const write = (): undefined => void acts.next().value?.();
  const log = guardedLog({ info: write, warn: write, error: write, [level]: () => acts.next().value?.() });
  for (let line = 0; line < EACH; line += 1) log[level]({}, 'a line');
  await new Promise(setImmediate);
  expect(acts.next().done).toBe(true);
  expect(onConsole).toHaveBeenCalledOnce();
  return EACH;
};

const silentConsole = () => {
  const onConsole = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => onConsole.mockRestore());
  return onConsole;
};

it('handles the promises in a list that a handler returns', async () => {
  const { run } = await gameOn(rejectedList);
  expect((await run('fires', ['list'])).get('list')).toMatchObject({ state: 'scheduled', attempt: 1 });
  const called = (await run('calls', ['list'])).get('list');
  expect(called).toMatchObject({ state: 'completed', result: { notKept: expect.stringContaining('a promise') } });
});

describe('whatever code of the game returns or throws is held, named, and late for nobody else:', () => {
  it.for(Object.entries(rows))('%s', async ([, test], context) => {
    prove(context, { row: 30, tries: await test(), of: 'hostile returns and throws of callbacks' });
  });

  it('the payload of `again`: what cannot be kept ends the timer, and says why', async () => {
    const payloads = new Map(hostileReturns.map(({ what, make }) => [`again with ${what}`, make]));
    const { run } = await gameOn((subject) => again(NOW_MS + 3_600_000, payloads.get(subject)?.()));
    const kept = await run('calls', payloads.keys());
    expect(kept.get('again with a Date')).toMatchObject({ state: 'scheduled', turn: 2 });
    for (const what of [
      'a BigInt',
      'a circular object',
      'a revoked proxy',
      'text with NUL',
      'a toJSON that throws',
      'a promise that is rejected',
    ]) {
      const row = kept.get(`again with ${what}`);
      expect(row).toMatchObject({
        state: 'completed',
        result: { notKept: expect.stringMatching(/^the payload of its next/) },
      });
    }
  });

  it('a listener of the signal of a call: the call goes on', async () => {
    const { pool } = await hostDatabase(4, migratedDatabase);
    const lines: object[] = [];
    const called = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<string[]>();
    const note = (fields: object): void => void lines.push(fields);
    const call: CallKind['call'] = (_, signal) => {
      const seen: string[] = [];
      const removed = (): void => void seen.push('removed');
      signal.addEventListener('abort', removed);
      signal.removeEventListener('abort', removed);
      const over = new AbortController();
      signal.addEventListener('abort', removed, { signal: over.signal });
      over.abort();
      signal.addEventListener('abort', () => {
        throw new Error('thrown');
      });
      signal.addEventListener('abort', async () => Promise.reject(new Error('rejected')), { once: true });
      signal.addEventListener('abort', { handleEvent: () => reject('by an object') });
      signal.onabort = () => {
        seen.push('onabort');
        throw new Error('by a property');
      };
      AbortSignal.any([signal]).addEventListener('abort', () => ended.resolve(seen));
      called.resolve();
      return new Promise(() => undefined);
    };
    const log: EngineLog = { info: () => undefined, warn: note, error: note };
    const game = createTimers({ pool, log, kinds: [{ kind: 'calls', call }] });
    await game.lifecycle.boot();
    onTestFinished(() => game.lifecycle.shutdown());
    await game.timers.schedule([{ kind: 'calls', subject: 's', owner: 'ann', inMs: 0 }]);
    await called.promise;
    await game.timers.cancel([{ kind: 'calls', subject: 's' }]);
    expect(await ended.promise).toEqual(['onabort']);
    await new Promise(setImmediate);
    expect(lines).toEqual(Array.from({ length: 4 }, () => ({ err: expect.anything(), kind: 'calls' })));
  });

  it('a log that fails: what was to be logged goes on', async () => {
    silentConsole();
    const next = (): never => {
      throw new Error('the disk is full');
    };
    const { run } = await gameOn(() => reject('no food'), { info: next, warn: next, error: next });
    for (const kind of ['fires', 'calls'] as const) {
      for (const row of (await run(kind, ['a', 'b'])).values()) expect(row).toMatchObject({ attempt: 1 });
    }
  });
});
