import type { z } from 'zod';
import type { Sql } from '../host-rows.ts';
import type { Items } from '../items.ts';
import type { GivenConfig } from './config.ts';
import type { Refusal, Shapes } from './scene.ts';
import type { WordsByLanguage } from './words.ts';

/** Names that are older than modules. Default: `<module>:<command>`, `<module>/<event>`, the module's name, `thing`. */
export interface Wire {
  /** The text before the colon of a command. */
  readonly messages?: string;
  /** The text before an event's own name, with the slash. */
  readonly events?: '';
  /** The kind of the timers. With it operators read the runs' own names, so these must be unique among players. */
  readonly timer?: string;
  /** The field of an event that names its thing. */
  readonly thing?: string;
  /** The field of operators' requests that names a run. */
  readonly run?: string;
  /** The text before the number of a new id: `<player>~<ids><seq>`. */
  readonly ids?: string;
}

/** Any module. Its rules cannot be called directly: `Modules` calls them. */
export interface AnyModule {
  readonly name: string;
  readonly version?: number;
  readonly thing: z.core.$ZodType;
  readonly initial: object;
  readonly items?: readonly string[] | ((config: never) => readonly string[]);
  readonly config?: z.core.$ZodType;
  readonly configFaults?: (json: unknown) => readonly string[];
  readonly given?: GivenConfig;
  readonly events: Shapes;
  readonly commands: Shapes;
  readonly serverOnly?: readonly string[];
  readonly maxThings?: number;
  readonly wire?: Wire;
  readonly decide: Readonly<Record<string, (asked: never) => readonly object[] | Refusal>>;
  readonly evolve: Readonly<Record<string, (thing: never, event: never) => object | undefined>>;
  readonly dueAtMs?: (thing: never) => number | undefined;
  readonly complete?: (turn: never) => readonly object[];
  readonly waitingSinceMs?: (thing: never) => number | undefined;
  readonly goOn?: (turn: never) => readonly object[];
  readonly starter?: (config: never) => Items;
  readonly open?: (scene: never) => readonly object[];
  readonly renew?: (scene: never) => readonly object[];
  readonly shift?: (turn: never) => readonly object[] | Refusal;
  readonly stop?: (turn: never) => readonly object[] | Refusal;
  readonly arrive?: (turn: never) => readonly object[];
  readonly run?: (thing: never, id: string) => string;
  readonly title?: (thing: never) => string;
  readonly words?: WordsByLanguage;
  readonly limit?: (config: never) => number;
  readonly reply?: (events: never) => object;
  readonly inTransaction?: (tx: Sql, changes: never) => Promise<void>;
  readonly doneOf?: (events: never) => readonly string[];
  readonly older?: {
    thing(state: unknown, version: number): unknown;
    event(body: unknown, type: string, version: number): unknown;
  };
}
