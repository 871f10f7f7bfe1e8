import { type Rejection, reject } from '../../shared/protocol.ts';
import { type Result, refused } from '../../shared/result.ts';
import type { DatabaseWatch } from '../adapter/postgres/schema/database-watch.ts';
import type { Homes } from '../home/model/homes.ts';
import type { ClockGuard } from '../timer/clock/clock-guard.ts';
import type { ClockCare } from '../timer/clock/clock-watch.ts';
import type { TimerEngine } from '../timer/timer-engine.ts';
import type { WiredIndex } from './index-of.ts';
import { type RightToRun, SecondProcess } from './right-to-run.ts';

/** `lifecycle.boot()` was not called, called twice or too late: a mistake in the game's start. The message says what to do. */
export class BootRefused extends Error {
  readonly code: 'kibble/not-booted' | 'kibble/booted-twice' | 'kibble/ended';
  readonly retryable = false;

  constructor(code: BootRefused['code']) {
    super(MESSAGES[code]);
    this.name = 'BootRefused';
    this.code = code;
  }
}

const MESSAGES = {
  'kibble/not-booted':
    'lifecycle.boot() was not called, or has not ended: await it first, or give the lifecycle to defineServer({ database })',
  'kibble/booted-twice':
    'lifecycle.boot() was called twice: defineServer({ database }) calls it too, so leave one of them out',
  'kibble/ended':
    'lifecycle.shutdown() was called, which is for good: make another one with createKibble or createTimers',
} as const;

/** The progress of the boot. */
export class Boot {
  #stage: 'before' | 'under way' | 'grounded' | 'ready' | 'over' = 'before';
  #hasEnded = false;

  /** Throws for a second boot, unless the first one failed, and for a boot after a shutdown. */
  begin(): void {
    if (this.#stage !== 'before' && !this.#hasEnded) throw new BootRefused('kibble/booted-twice');
    this.#advance('under way');
  }

  /** The tables exist: from now on firing handlers may write. Throws if the shutdown has begun. */
  ground(): void {
    this.#advance('grounded');
  }

  /** All parts work, until the shutdown begins. Throws if it has begun. */
  ready(): void {
    this.#advance('ready');
  }

  fail(): void {
    this.#stage = 'before';
  }

  /** The tables stay, so after the shutdown calls are refused for other reasons. */
  end(): void {
    this.#hasEnded = true;
    if (this.isGrounded) this.#stage = 'over';
  }

  #advance(stage: 'under way' | 'grounded' | 'ready'): void {
    if (this.#hasEnded) throw new BootRefused('kibble/ended');
    this.#stage = stage;
  }

  /** Why calls that need the tables are refused now. */
  get refusal(): BootRefused | undefined {
    return this.isGrounded ? undefined : new BootRefused('kibble/not-booted');
  }

  get isReady(): boolean {
    return this.#stage === 'ready';
  }

  get isGrounded(): boolean {
    return this.#stage === 'grounded' || this.#stage === 'ready' || this.#stage === 'over';
  }
}

/**
 * The same object, but calls reject with the refusal if there is one; those in `sync` throw it. After a shutdown nothing
 * changes any more.
 */
export const onceBooted = <Face extends object>(
  face: Face,
  by: { readonly refusal: Error | undefined },
  ...sync: readonly (keyof Face)[]
): Face =>
  new Proxy(face, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        const { refusal } = by;
        if (refusal && sync.includes(name as keyof Face)) throw refusal;
        if (refusal) return Promise.reject(refusal);
        return Reflect.apply(member, target, given);
      };
    },
  });

/** The state of a clock is that of this process, so it may be read at any time. */
export const clockOnceBooted = (clock: ClockCare, boot: Pick<Boot, 'refusal'>): ClockCare => ({
  state: () => clock.state(),
  accept: onceBooted(clock, boot).accept,
});

/** For clients of a game that forgot to boot: a refusal without a retry, and a line in the log. */
export const homesOnceBooted = (
  homes: Homes,
  boot: Pick<Boot, 'isGrounded' | 'refusal'>,
  onFault: (message: string, error: unknown) => void,
): Homes => {
  let isLogged = false;
  const refuse = (): Result<never, Rejection> => {
    const fault = new BootRefused('kibble/not-booted');
    if (!isLogged) onFault('a client’s command was refused', fault);
    isLogged = true;
    return refused({ ...reject('server/unavailable', { reason: fault.code }), retryable: false });
  };
  const checked = onceBooted(homes, boot);
  return {
    handle: (orders) => (boot.isGrounded ? homes.handle(orders) : Promise.resolve(orders.map(refuse))),
    quote: (playerId, command) => (boot.isGrounded ? homes.quote(playerId, command) : Promise.resolve(refuse())),
    sync: (playerId, cursor) => (boot.isGrounded ? homes.sync(playerId, cursor) : Promise.resolve(refuse())),
    look: async (playerIds) => checked.look(playerIds),
    now: async () => checked.now(),
    follow: (playerId, follower) => homes.follow(playerId, follower),
    onRules: (listener) => homes.onRules?.(listener) ?? (() => undefined),
  };
};

/**
 * The degraded parts. `database`: no command can be accepted. `clock`: the database's clock jumped, and time goes on
 * without it. `right`: another process has the database, and this one fires and accepts nothing.
 */
export type Trouble = 'database' | 'redis' | 'clock' | 'right';

interface Dependencies {
  readonly engine: Pick<TimerEngine, 'isIndexWhole' | 'isIndexElsewhere'>;
  readonly due: Pick<WiredIndex, 'index' | 'isAlone' | 'trouble'>;
  readonly time: Pick<ClockGuard, 'state'>;
  readonly right: Pick<RightToRun, 'mayRun' | 'isHandedOver'>;
  readonly databaseWatch: Pick<DatabaseWatch, 'trouble'>;
  /** False if other processes fire, or a test fires by hand. */
  readonly fires: boolean;
}

/** The progress of the start and the degraded parts, for probes and gauges. */
export class Health {
  readonly boot = new Boot();
  readonly #on: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  get fires(): boolean {
    return this.#on.fires;
  }

  /** Why timers may not be written or read now. */
  get refusal(): Error | undefined {
    const { mayRun, isHandedOver } = this.#on.right;
    const isRefused = isHandedOver || (this.boot.isReady && !mayRun);
    return this.boot.refusal ?? (isRefused ? new SecondProcess(isHandedOver) : undefined);
  }

  /** Whether the due index responds and is complete, as far as this process uses it. */
  get isIndexWhole(): boolean {
    const { engine, due, fires } = this.#on;
    return this.boot.isReady && (fires ? engine.isIndexWhole : due.index.isAvailable && !engine.isIndexElsewhere);
  }

  /** Undefined before the end of `boot` and after the begin of `shutdown`. */
  degraded(): readonly Trouble[] | undefined {
    if (!this.boot.isReady) return undefined;
    const { due, time, right, databaseWatch } = this.#on;
    // A Redis that only an operator's change can repair counts as away.
    const isRedisFine = due.isAlone || (this.isIndexWhole && !due.trouble());
    return [
      ...(databaseWatch.trouble ? (['database'] as const) : []),
      ...(isRedisFine ? [] : (['redis'] as const)),
      ...(time.state.isHeld ? (['clock'] as const) : []),
      ...(right.mayRun ? [] : (['right'] as const)),
    ];
  }
}
