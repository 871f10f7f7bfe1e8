import { type Rejection, reject } from '../../shared/protocol.ts';
import { type Result, refused } from '../../shared/result.ts';
import type { DatabaseWatch } from '../adapter/postgres/schema/database-watch.ts';
import type { Homes } from '../home/model/homes.ts';
import type { ClockGuard } from '../timer/clock/clock-guard.ts';
import type { TimerEngine } from '../timer/timer-engine.ts';
import type { WiredIndex } from './index-of.ts';
import { type RightToRun, SecondProcess } from './right-to-run.ts';

/** `lifecycle.boot()` was not called, called twice, or too late: a mistake in the game's own start. The message says what to do. */
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

/** How far the boot has come. */
export class Boot {
  #stage: 'before' | 'under way' | 'grounded' | 'ready' | 'over' = 'before';
  #hasEnded = false;

  /** Throws for a second boot, unless the first one failed, and for one after a shutdown. */
  begin(): void {
    if (this.#stage !== 'before' && !this.#hasEnded) throw new BootRefused('kibble/booted-twice');
    this.#advance('under way');
  }

  /** The tables are there: handlers that fire from now on may write. Throws when the shutdown has begun. */
  ground(): void {
    this.#advance('grounded');
  }

  /** All works, until the shutdown begins. Throws when it has begun. */
  ready(): void {
    this.#advance('ready');
  }

  fail(): void {
    this.#stage = 'before';
  }

  /** The tables stay: what is asked after the shutdown is refused for reasons of its own. */
  end(): void {
    this.#hasEnded = true;
    if (this.isGrounded) this.#stage = 'over';
  }

  #advance(stage: 'under way' | 'grounded' | 'ready'): void {
    if (this.#hasEnded) throw new BootRefused('kibble/ended');
    this.#stage = stage;
  }

  /** Why nothing may be asked of what stands on the tables. */
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

/** The same object, but what is called while there is a refusal throws it at once. After a shutdown nothing changes any more. */
export const onceBooted = <Face extends object>(face: Face, by: { readonly refusal: Error | undefined }): Face =>
  new Proxy(face, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        const { refusal } = by;
        if (refusal) throw refusal;
        return Reflect.apply(member, target, given);
      };
    },
  });

/** For the clients of a game that forgot to boot: a refusal that sends nobody into a loop, and a line in the log. */
export const homesOnceBooted = (
  homes: Homes,
  boot: Pick<Boot, 'isGrounded' | 'refusal'>,
  onFault: (message: string, error: unknown) => void,
): Homes => {
  let isTold = false;
  const refuse = (): Result<never, Rejection> => {
    const fault = new BootRefused('kibble/not-booted');
    if (!isTold) onFault('a client’s command was refused', fault);
    isTold = true;
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
 * What works worse than it should. `database`: no command can be accepted. `clock`: the database's clock jumped, and time
 * goes on without it. `right`: another process works on the database, and this one fires nothing and accepts nothing.
 */
export type Trouble = 'database' | 'redis' | 'clock' | 'right';

interface Dependencies {
  readonly engine: Pick<TimerEngine, 'isIndexWhole' | 'isIndexElsewhere'>;
  readonly due: Pick<WiredIndex, 'index' | 'isAlone' | 'trouble'>;
  readonly time: Pick<ClockGuard, 'state'>;
  readonly right: Pick<RightToRun, 'mayRun' | 'isHandedOver'>;
  readonly databaseWatch: Pick<DatabaseWatch, 'trouble'>;
  /** False where others fire, or nobody by itself. */
  readonly fires: boolean;
}

/** How far a process has started, and what works worse than it should: for probes and gauges. */
export class Health {
  readonly boot = new Boot();
  readonly #on: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#on = dependencies;
  }

  get fires(): boolean {
    return this.#on.fires;
  }

  /** Why no timer may be written or asked for now. */
  get refusal(): Error | undefined {
    const { mayRun, isHandedOver } = this.#on.right;
    const isRefused = isHandedOver || (this.boot.isReady && !mayRun);
    return this.boot.refusal ?? (isRefused ? new SecondProcess(isHandedOver) : undefined);
  }

  /** Whether the due index responds and lacks nothing, as far as this process uses it. */
  get isIndexWhole(): boolean {
    const { engine, due, fires } = this.#on;
    return this.boot.isReady && (fires ? engine.isIndexWhole : due.index.isAvailable && !engine.isIndexElsewhere);
  }

  /** Undefined before `boot` has ended and after `shutdown` began. */
  degraded(): readonly Trouble[] | undefined {
    if (!this.boot.isReady) return undefined;
    const { due, time, right, databaseWatch } = this.#on;
    // A Redis that is refused for something that an operator has to change counts as one that is away.
    const isRedisFine = due.isAlone || (this.isIndexWhole && !due.trouble());
    return [
      ...(databaseWatch.trouble ? (['database'] as const) : []),
      ...(isRedisFine ? [] : (['redis'] as const)),
      ...(time.state.isHeld ? (['clock'] as const) : []),
      ...(right.mayRun ? [] : (['right'] as const)),
    ];
  }
}
