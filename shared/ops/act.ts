import { a, type Input, type Inputs, maybe, textInput } from './input.ts';

/** `viewer` reads, `support` acts on players and timers, `admin` does acts that are final or concern all players. */
export const opsRoles = ['viewer', 'support', 'admin'] as const;
export type OpsRole = (typeof opsRoles)[number];

export interface OpsRoute {
  readonly method: 'GET' | 'POST';
  /** Below `api` of the operators' page. The caller replaces `:name` by a percent-encoded part (for players: `playerPart`). */
  readonly path: string;
  /** The least role with the right to it. */
  readonly role: OpsRole;
  /** A description for people: in the command's help and in docs/operators.md. */
  readonly about: string;
}

export interface OpsAct extends OpsRoute, Terms {
  readonly input: Inputs;
}

interface Terms {
  /** The query of a read, the body of a write. */
  readonly input?: Inputs;
  /** At least one of these inputs is required. */
  readonly needsOne?: readonly string[];
  /** The command: its arguments are the parts of the path, then the inputs without a flag. */
  readonly cli?: string;
  /** The terminal's question before a write, with the names of parts and inputs. */
  readonly asks?: string;
  /**
   * `broad`: many timers or the whole index, shown as dangerous. `final`: it cannot be undone, and the page says so.
   * `confirmed`: final, and without a terminal the command needs `--yes`.
   */
  readonly risk?: 'broad' | 'final' | 'confirmed';
}

interface Read extends Terms {
  readonly role?: OpsRole;
}

type InputOf<Given> = Given extends { readonly input: infer Own } ? Own : Readonly<Record<never, Input>>;

export const read = <const Given extends Read = object>(path: string, about: string, given?: Given) => ({
  ...{ method: 'GET' as const, path, about, role: 'viewer' as OpsRole },
  ...(given as Given),
  input: (given?.input ?? {}) as InputOf<Given>,
});

/** `dryRun`: returns the result and changes nothing. The same `commandId` is done once. */
export const writeInput = { commandId: a('command'), reason: textInput(3, 500), dryRun: maybe(a('flag')) } as const;

const write =
  (role: OpsRole) =>
  <const Given extends Terms = object>(path: string, about: string, given?: Given) => ({
    ...{ method: 'POST' as const, role, path, about },
    ...(given as Given),
    input: { ...writeInput, ...(given?.input as InputOf<Given>) },
  });
export const support = write('support');
export const admin = write('admin');

export const mayUse = (role: OpsRole, route: OpsRoute): boolean =>
  opsRoles.indexOf(role) >= opsRoles.indexOf(route.role);
