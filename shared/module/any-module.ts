import type { z } from 'zod';
import type { Sql } from '../host-rows.ts';
import type { Items } from '../items.ts';
import type { GivenConfig } from './config.ts';
import type { Refusal, Shapes } from './scene.ts';
import type { WordsByLanguage } from './words.ts';

/** Names that are older than the module. Left out: `<module>:<command>`, `<module>/<event>`, the module's name, `thing`. */
export interface Wire {
  /** Before the colon of a command. */
  readonly messages?: string;
  /** Before an event's own name, with the slash. */
  readonly events?: '';
  /** Kind of the timers. Operators then read the runs as they are, which no two players may share. */
  readonly timer?: string;
  /** Field of an event that says of which thing it is. */
  readonly thing?: string;
  /** Field that names a run, in what operators ask. */
  readonly run?: string;
  /** Before the number of a new id: `<player>~<ids><seq>`. */
  readonly ids?: string;
}

/** Any module. Its rules can't be called as they stand: `Modules` does. */
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
