// The entry `colyseus-kibble/ops`: the operators' acts and page on a game's own Express app.

import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { guardedFault } from '../shared/game-code.ts';
import { readOptions } from '../shared/options/read-options.ts';
import { random } from './adapter/machine/random.ts';
import { createRates } from './gate/rates.ts';
import { networkOf } from './gate/request-origin.ts';
import { operatorAuth } from './http/operator-auth.ts';
import { opsRouter } from './http/ops-api.ts';
import { limits } from './settings/config.ts';
import { opsApiArguments } from './wiring/host-options.ts';
import type { Ops } from './wiring/ops-of.ts';

export type { Difference } from '../shared/differences.ts';
export type { EventPlace, HomeEvent } from '../shared/event.ts';
export type { Items } from '../shared/items.ts';
export type { OpsRole, OpsRoute } from '../shared/ops/act.ts';
export type { OpsInput, OpsRouteName } from '../shared/ops/acts.ts';
export type {
  OpsAnswers,
  OpsClock,
  OpsDifferences,
  OpsDone,
  OpsError,
  OpsFailedGroup,
  OpsHit,
  OpsIndex,
  OpsJob,
  OpsLogEntry,
  OpsOverview,
  OpsPlayer,
  OpsPlayerTimers,
  OpsReplied,
  OpsTimerList,
  OpsUpcoming,
} from '../shared/ops/ops-answers.ts';
export type { OpsExplanation, OpsStep, OpsTimerExplanation } from '../shared/ops/ops-explanation.ts';
export type { OpsRules, OpsRulesChanged, OpsRulesOfModule, OpsRulesVersion } from '../shared/ops/ops-rules.ts';
export type { OpsModule, OpsThing, OpsWork } from '../shared/ops/ops-thing.ts';
export type { OpsAudit, OpsKind, OpsRecurrence, OpsRevived, OpsTimer } from '../shared/ops/ops-timer.ts';
export { type OptionFault, type OptionFaultCode, OptionsRefused } from '../shared/options/options-refused.ts';
export type { Result } from '../shared/result.ts';
export { type Bearer, bearerOf, type Identified, type Revocations, type Revoked } from './home/revocations.ts';
export type { Operator, OpsCall, OpsHandlers } from './ops/ops.ts';
export type { OpsRefusal, OpsResult } from './ops/perform/ops-call.ts';
export type { Ops } from './wiring/ops-of.ts';

/** One operator. `viewer` reads, `support` also acts on players and timers, `admin` on everything. */
export interface OperatorToken {
  /** The name in the audit of this operator's acts. */
  readonly name: string;
  readonly role: 'viewer' | 'support' | 'admin';
  /** The operator's `Authorization: Bearer <token>`: at least 24 characters (`openssl rand -hex 24`). */
  readonly token: string;
}

/** Typed without Express, because a game may not have its types. */
export type Handler = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** An app or a router of Express 4 or 5. */
export interface ExpressApp {
  use(at: string, handler: Handler): unknown;
}

export interface OpsApiOptions {
  /** `kibble.ops`. */
  readonly ops: Ops;
  readonly operators: readonly OperatorToken[];
  /** The path of the page; the API is below it, at `/api`. The command uses it in `kibble --url`. Default `/ops`. */
  readonly path?: string;
  /** Testers may move due times nearer. Never in production. Default false. */
  readonly hasDevTools?: boolean;
  /** Receives requests that failed by a fault of the server. Default: the console. */
  readonly onFault?: (message: string, error: unknown) => void;
}

/**
 * Serves the operators' page at `/ops/` and its API at `/ops/api`, in Colyseus as `defineServer({ express: (app) =>
 * addOpsApi(app, ...) })`. The page contains no data. Requests without a token are refused; after ten wrong tokens an
 * address waits until the minute ends. Addresses are Express', so set its `trust proxy` behind a proxy. Throws
 * `OptionsRefused`, also for a short token.
 */
export const addOpsApi = (app: ExpressApp, options: OpsApiOptions): void => {
  const read = readOptions(opsApiArguments, { app, options }, 'addOpsApi');
  const { ops, operators, path: at = '/ops', hasDevTools = false, onFault = console.error } = read.options;
  const router = opsRouter({
    onFault: guardedFault(onFault),
    handlers: ops.handlers({ hasDevTools }),
    operatorOf: operatorAuth(operators),
    wrongTokens: createRates({ isFree: false, seed: random.uniqueName() }).wrongTokens,
    addressOf: ({ ip = '' }) => networkOf(ip),
    maxBody: limits.ops.maxBody,
    page: PAGE,
  });
  app.use(at, router as unknown as Handler);
};

/** Beside the package's own files; in a clone it exists after `npm start`. A CommonJS bundle has no such folder. */
const PAGE = path.join(import.meta.dirname ?? '', '../ops/dist');
