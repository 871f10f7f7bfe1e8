import { type OptionFault, OptionsRefused } from '../../shared/options/options-refused.ts';
import type { RulesMessage } from '../../shared/protocol.ts';
import type { Connection } from './connector.ts';
import type { Cursor } from './news.ts';
import type { Platform } from './platform.ts';
import type { JoinOptions, SdkClient, SdkRoom } from './sdk.ts';
import type { Each, EventIn, PetsAlone, SeenModules } from './seen-modules.ts';
import type { ShownHome } from './shown-home.ts';

export interface FollowOptions<Modules extends SeenModules = PetsAlone> {
  /** The Colyseus SDK's `Client`. */
  readonly client: SdkClient;
  /**
   * Stores the player's token, so that the same player comes back. Without it the SDK's own storage does, which retains
   * the last answer of all sign-ins, also of one that was answered too late.
   */
  readonly tokens?: { load(): string | undefined; save(token: string): void };
  /**
   * Default: as a guest, with the SDK's `auth.signInAnonymously()`. The token is then expected in `client.auth.token`.
   * Your function is called once more if the server refuses the token (code 525, or a text that begins with `auth/`).
   * All attempts to join wait for one call; after a minute without its outcome the next attempt calls again.
   */
  readonly signIn?: () => Promise<unknown>;
  /** Default: the room `home`. A game with its own rooms joins one of those, with `since` among its options. */
  readonly join?: (since: JoinOptions) => Promise<SdkRoom>;
  /** Events up to here are known: later ones are delivered at the first join. Default: from now on. */
  readonly since?: Cursor;
  /** Called after each change, with a new value. */
  readonly onHome?: (home: ShownHome<Modules>) => void;
  /** Each event once, in `seq` order, after the things that it made. `isMissed`: it happened while there was no connection. */
  readonly onEvents?: (events: readonly EventIn<Modules>[], isMissed: boolean) => void;
  readonly onConnection?: (connection: Connection) => void;
  /** The log is another one than before (a restored database, another player): forget what you know of it. */
  readonly onNewLog?: (start: Cursor) => void;
  /** By module: the version that this client was made for. */
  readonly versions?: { readonly [M in Each<Modules> as M['name']]: number };
  /** Called once for each module that is missing in `versions` or newer on the server. Its things are shown all the same. */
  readonly onOutdated?: (module: string) => void;
  /**
   * The rules of a module are new: from now on this version decides commands, and started work ends as it was ordered.
   * The game fetches the rules itself. Not called for changes while there was no connection.
   */
  readonly onRules?: (rules: RulesMessage) => void;
  /**
   * One of these callbacks threw or its promise was rejected, or a message of the room (its type instead of the
   * callback) could not be read; following goes on. Default: prints it on the console.
   */
  readonly onFault?: (callback: string, thrown: unknown) => void;
  readonly platform?: Platform;
}

type Callbacks<Modules extends SeenModules> = Required<
  Pick<FollowOptions<Modules>, 'onHome' | 'onEvents' | 'onConnection' | 'onNewLog' | 'onOutdated' | 'onRules'>
>;

/** The game's callbacks and its storage of the token: no error of the game's code ends the following. */
export type SafeCallbacks<Modules extends SeenModules> = Callbacks<Modules> &
  Pick<FollowOptions<Modules>, 'tokens'> & { readonly onFault: (name: string, thrown: unknown) => void };

/** After the close (`isClosed`) none of them is called. */
export const safeCallbacks = <Modules extends SeenModules>(
  options: FollowOptions<Modules>,
  isClosed: () => boolean,
): SafeCallbacks<Modules> => {
  const report = (name: string, thrown: unknown): void => {
    handleRejections(thrown);
    // Default: the console, because a silent failure is never repaired.
    if (name !== 'onFault' && options.onFault && !isClosed()) guarded('onFault', options.onFault)(name, thrown);
    else globalThis.console.error(`followHome: ${name} failed: ${textOf(thrown)}`);
  };
  const guarded =
    <Args extends unknown[], Value>(name: string, callback: ((...args: Args) => Value) | undefined) =>
    (...args: Args): Value | undefined => {
      if (isClosed()) return undefined;
      try {
        const value = callback?.(...args);
        // Async callbacks are called too; their promises are not awaited.
        handleRejections(value, (thrown) => report(name, thrown));
        return value;
      } catch (thrown) {
        report(name, thrown);
        return undefined;
      }
    };
  const { tokens } = options;
  const load = guarded('tokens.load', (): unknown => tokens?.load());
  return {
    onHome: guarded('onHome', options.onHome),
    onEvents: guarded('onEvents', options.onEvents),
    onConnection: guarded('onConnection', options.onConnection),
    onNewLog: guarded('onNewLog', options.onNewLog),
    onOutdated: guarded('onOutdated', options.onOutdated),
    onRules: guarded('onRules', options.onRules),
    onFault: report,
    ...(tokens && {
      tokens: {
        load: () => [load()].find((token) => typeof token === 'string'),
        save: guarded('tokens.save', (token: string) => tokens.save(token)),
      },
    }),
  };
};

interface Known {
  isRight(given: unknown): boolean;
  readonly remedy: string;
}

type Loose = Readonly<Record<string, unknown>>;

const looseOf = (given: unknown): Loose => (given ?? {}) as Loose;

const has = (given: unknown, ...methods: readonly string[]): boolean =>
  methods.every((method) => typeof looseOf(given)[method] === 'function');

const isWhole = (given: unknown): boolean => Number.isInteger(given) && (given as number) >= 0;

const callback: Known = { isRight: (given) => typeof given === 'function', remedy: 'give a function' };

/** The check of each option. Written by hand: this entry needs no package. */
export const known: Readonly<Record<keyof FollowOptions, Known>> = {
  client: {
    isRight: (given) => has(given, 'joinOrCreate') && has(looseOf(given).auth, 'signInAnonymously'),
    remedy: 'give a `Client` of the Colyseus SDK',
  },
  tokens: { isRight: (given) => has(given, 'load', 'save'), remedy: 'give an object with load(), save()' },
  signIn: callback,
  join: callback,
  since: {
    isRight: (given) => typeof looseOf(given).epoch === 'string' && isWhole(looseOf(given).seq),
    remedy: 'give the `cursor` of a follower: { epoch, seq }',
  },
  onHome: callback,
  onEvents: callback,
  onConnection: callback,
  onNewLog: callback,
  versions: {
    isRight: (given) => given instanceof Object && Object.values(given).every(isWhole),
    remedy: 'give a whole number for each module',
  },
  onOutdated: callback,
  onRules: callback,
  onFault: callback,
  platform: {
    isRight: (given) => has(given, 'nowMs', 'after', 'random', 'uniqueId'),
    remedy: 'give an object with nowMs(), after(), random(), uniqueId()',
  },
};

/** Throws `OptionsRefused` with all faults. */
export const checkOptions = (given: unknown): void => {
  const options = looseOf(given);
  const code = 'options/invalid';
  const faults: OptionFault[] = [];
  for (const [path, { isRight, remedy }] of Object.entries(known)) {
    const value = options[path];
    if (value === undefined ? path !== 'client' : isRight(value)) continue;
    faults.push({ path, code, what: value === undefined ? 'is missing' : 'is not what it should be', remedy });
  }
  for (const path of Object.keys(options)) {
    if (Object.hasOwn(known, path)) continue;
    faults.push({
      path,
      code,
      what: 'is no field that is known',
      remedy: `known are ${Object.keys(known).join(', ')}`,
    });
  }
  if (faults.length > 0) throw new OptionsRefused('followHome', faults);
};

/** Calls `signIn` or `join`, which may throw anything; rethrows an error with a readable text and code. */
export const readable = async <Value>(call: () => Promise<Value>): Promise<Value> => {
  try {
    const value = await call();
    handleRejections(value);
    return value;
  } catch (thrown) {
    handleRejections(thrown);
    throw isReadable(thrown) ? thrown : new Error(textOf(thrown));
  }
};

/** Of a promise or a list of them, which no code awaits: a rejection would end a process of Node. */
const handleRejections = (value: unknown, told: (thrown: unknown) => void = () => undefined): void => {
  new Promise((resolve) => resolve(Array.isArray(value) ? Promise.all(value) : value)).catch(told);
};

const isReadable = (thrown: unknown): boolean => {
  try {
    return thrown instanceof Error && typeof thrown.message === 'string' && String(Reflect.get(thrown, 'code')) !== '';
  } catch {
    return false;
  }
};

/** The thrown value may be anything, even a value without a text. */
const textOf = (thrown: unknown): string => {
  try {
    return String(thrown);
  } catch {
    return 'what was thrown cannot be read';
  }
};
