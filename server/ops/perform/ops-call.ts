import type { OpsRole } from '../../../shared/ops/act.ts';
import type { OpsInput, OpsRouteName, OpsWrite } from '../../../shared/ops/acts.ts';
import type { OpsAnswers, OpsError } from '../../../shared/ops/ops-answers.ts';
import type { Rejection } from '../../../shared/protocol.ts';
import { type Result, refused } from '../../../shared/result.ts';
import type { Modules } from '../../domain/modules.ts';

export interface Operator {
  readonly name: string;
  readonly role: OpsRole;
}

/** A checked request: the operator, the parts of the path, and the query or the body. */
export interface OpsCall<Name extends OpsRouteName> {
  readonly operator: Operator;
  readonly parts: {
    readonly playerId: string;
    readonly timerId: string;
    readonly jobId: string;
    readonly kind: string;
    readonly module: string;
  };
  readonly input: OpsInput<Name>;
}

/** Operator and reason, for the event of a command. */
export const responsible = ({ name }: Operator, { reason }: OpsWrite) => ({ by: name, reason });

/** A refusal for an operator, in the shape of the wire. */
export type OpsRefusal = OpsError;
export type OpsResult<Answer> = Result<Answer, OpsRefusal>;

/** Handlers of some acts, with their dependencies. */
export type Handles<On> = {
  readonly [Name in OpsRouteName]?: (on: On, call: OpsCall<Name>) => Promise<OpsResult<OpsAnswers[Name]>>;
};

/** Messages for operators, also for codes of the game's rules. */
const messages: Readonly<Record<string, string>> = {
  'command/reused': 'this commandId was used for something else: send a new one',
  'command/invalid': 'the command is not valid',
  'module/unknown': 'this server has no such module',
  'module/not-offered': 'the module does not offer that',
  'module/too-many': 'the player has as many things of this module as there may be',
  'module/fault': 'a rule of the module failed: the home stands still until it is mended',
  'thing/unknown': 'the player has no such thing',
  'thing/idle': 'the player has nothing that is due',
  'thing/not-in-log': 'the log has no such thing, or no such run',
  'item/unknown': 'there is no such item in the rules',
  'item/too-many': 'the player would have more of the item than can be counted',
  'item/out-of-stock': 'the player does not have that many',
  'player/frozen': 'the player is frozen',
  'player/not-frozen': 'the player is not frozen',
  'player/unknown': 'no player with this id has a home (a home begins with the first command)',
  'player/merged': 'the home of this player was merged into another one and is closed: merge into that one',
  'player/same': 'a player cannot be merged with itself',
  'timer/unknown': 'there is no timer with this id',
  'timer/derived': 'this timer follows from a home: act on the player instead',
  'timer/already-fired': 'this timer has fired already',
  'timer/not-scheduled': 'this timer is neither scheduled nor dead',
  'timer/duplicate': 'another timer with the same kind and subject is scheduled',
  'kind/unknown': 'no process ever registered a kind of this name',
  'job/unknown': 'there is no such job',
  'job/done': 'this job is done',
  'job/running': 'this job is running',
  'job/stopped': 'this job is stopped',
  'job/empty': 'no player fits the filter',
  'index/impossible': 'the index cannot do that',
  'rules/no-config': 'this server has no module of this name with rules that can be changed',
  'rules/refused': 'the rules have faults',
  'rules/changed': 'another version is in force than the one that was expected: look at it first',
  'rules/too-large': 'the rules are larger than they may be',
  'rules/too-many': 'the module has as many versions as there may be',
  'rules/too-often': 'the rules were changed a moment ago: wait a second',
  'rules/unknown-version': 'the module has no such version',
  'ops/not-here': 'this server does not offer that',
  'server/unavailable': 'the database does not answer, and the outcome is not known: send the same commandId again',
};

/** The code of a game's rule may be `constructor`. */
const messageOf = (texts: Readonly<Record<string, string>> | undefined, code: string): string | undefined =>
  texts && Object.hasOwn(texts, code) ? texts[code] : undefined;

export const opsRefusal = (code: string, params: OpsRefusal['params'] = {}): ReturnType<typeof refused<OpsRefusal>> =>
  refused({ code, message: messageOf(messages, code) ?? code, params });

/** A refusal of a module's rules, with the module's own words if it has some. */
export const refuseAs = (modules: Modules, { code, params }: Rejection): ReturnType<typeof refused<OpsRefusal>> => {
  const told = modules.all.flatMap(({ rules }) => messageOf(rules.words?.en?.refusals, code) ?? []);
  return refused({ code, message: messageOf(messages, code) ?? told[0] ?? code, params });
};
