import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import type { z } from 'zod';
import { textAt } from '../../shared/game-code.ts';
import { playerOfPart } from '../../shared/ids.ts';
import { mayUse, type OpsRoute } from '../../shared/ops/act.ts';
import { type OpsRouteName, opsActs } from '../../shared/ops/acts.ts';
import type { OpsError } from '../../shared/ops/ops-answers.ts';
import { invalid } from '../../shared/protocol.ts';
import type { Operator, OpsHandlers } from '../ops/ops.ts';
import { type OperatorGateOptions, operatorGate } from './operator-gate.ts';
import { opsParts, opsSchemas } from './ops-schemas.ts';
import { addPage } from './page.ts';

export interface OpsRouterOptions extends OperatorGateOptions {
  readonly handlers: OpsHandlers;
  readonly onFault: (message: string, error: unknown) => void;
  /** The most bytes of a body. */
  readonly maxBody: number;
  /** The folder of the built operators' page. Undefined: only the API. */
  readonly page?: string | undefined;
}

/**
 * The operators' page, and the ops API below it at `/api`. A request without a token learns nothing else, and its body
 * is not read.
 */
export const opsRouter = (options: OpsRouterOptions): Router => {
  const router = Router({ caseSensitive: true });
  router.use('/api', apiOf(options));
  if (options.page !== undefined) addPage(router, { folder: options.page, hasOtherHosts: false });
  return router;
};

const apiOf = (options: OpsRouterOptions): Router => {
  const api = Router({ caseSensitive: true });
  api.use(authenticate(options));
  for (const name of Object.keys(opsActs) as OpsRouteName[]) {
    const route: OpsRoute = opsActs[name];
    const handlers = [
      authorize(route),
      ...(route.method === 'POST' ? [json(options.maxBody)] : []),
      answer(name, options),
    ];
    if (route.method === 'POST') api.post(route.path, ...handlers);
    else api.get(route.path, ...handlers);
  }
  api.use((_request, response) => {
    send(response, { code: 'ops/unknown-route', message: 'there is nothing at this address', params: {} });
  });
  api.use(explain(options.onFault));
  return api;
};

const operators = new WeakMap<Request, Operator>();

const authenticate = (options: OperatorGateOptions): RequestHandler => {
  const admit = operatorGate(options);
  return async (request, response, next) => {
    response.set('cache-control', 'no-store');
    const operator = await admit(request);
    if (operator && 'retryAfterMs' in operator) {
      const { retryAfterMs } = operator;
      response.set('retry-after', String(Math.ceil(retryAfterMs / 1_000)));
      const message = 'too many wrong tokens came from this address: wait';
      return send(response, { code: 'rate/limited', message, params: { retryAfterMs } });
    }
    if (!operator) {
      response.set('www-authenticate', 'Bearer');
      return send(response, { code: 'auth/refused', message: 'an operator’s token is needed', params: {} });
    }
    operators.set(request, operator);
    next();
  };
};

const authorize =
  (route: OpsRoute): RequestHandler =>
  (request, response, next) => {
    const role = operators.get(request)?.role ?? 'viewer';
    if (mayUse(role, route)) return next();
    const message = `this needs the role ${route.role}; the token has ${role}`;
    send(response, { code: 'auth/role', message, params: { needs: route.role, role } });
  };

const json = (limit: number): RequestHandler => express.json({ limit, strict: true });

const answer =
  <Name extends OpsRouteName>(name: Name, { handlers }: OpsRouterOptions): RequestHandler =>
  async (request, response) => {
    const operator = operators.get(request);
    const parts = partsOf(request.params);
    const asked = opsActs[name].method === 'POST' ? (request.body ?? {}) : request.query;
    const parsed = opsSchemas[name].safeParse(asked);
    const faults = [...parts.issues, ...(parsed.success ? [] : parsed.error.issues)];
    if (!operator || faults.length > 0) return send(response, invalidOf(faults));
    const call = { operator, parts: parts.values, input: parsed.data };
    // The table's types guarantee that this handler accepts what this schema returns.
    const handle = handlers[name] as unknown as (given: typeof call) => ReturnType<OpsHandlers[Name]>;
    const result = await handle(call);
    if (result.ok) response.json(result.value);
    else send(response, result.error);
  };

/** The parts of the path that the route has; the others stay empty and unused. */
const partsOf = (params: Request['params']) => {
  const values = { playerId: '', timerId: '', jobId: '', kind: '', module: '' };
  const issues: z.core.$ZodIssue[] = [];
  for (const part of Object.keys(values) as (keyof typeof values)[]) {
    const given = params[part];
    if (given === undefined) continue;
    const parsed = opsParts[part].safeParse(part === 'playerId' ? playerOfPart(String(given)) : given);
    if (parsed.success) values[part] = parsed.data;
    else issues.push(...parsed.error.issues.map((issue) => ({ ...issue, path: [part, ...issue.path] })));
  }
  return { values, issues };
};

const invalidOf = (issues: readonly z.core.$ZodIssue[]): OpsError => {
  const { code, params } = invalid({ issues } as z.ZodError);
  const faults = params.faults as readonly { readonly path: string; readonly message: string }[];
  const message = faults.map(({ path, message: fault }) => (path === '' ? fault : `${path}: ${fault}`)).join('; ');
  return { code, message, params };
};

/** Explains errors of the body parser, the router or our own code; the last are not shown to the client. */
const explain =
  (onFault: OpsRouterOptions['onFault']): ErrorRequestHandler =>
  (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    const status: unknown = error?.status;
    if (status === 413) return send(response, { code: 'ops/too-large', message: 'the body is too large', params: {} });
    if (typeof status === 'number' && status < 500) {
      return send(response, { code: 'command/invalid', message: 'the request cannot be read', params: { faults: [] } });
    }
    if (textAt(error, 'code') === 'kibble/not-booted') {
      return send(response, { code: 'server/unavailable', message: 'the server is starting', params: {} });
    }
    onFault('an operator’s request failed', error);
    send(response, { code: 'server/failed', message: 'the server failed; its log says why', params: {} });
  };

const send = (response: Response, error: OpsError): void => {
  response.status(statusOf(error.code)).json(error);
};

const statuses: Readonly<Record<string, number>> = {
  'auth/refused': 401,
  'auth/role': 403,
  'rate/limited': 429,
  'command/invalid': 400,
  'ops/too-large': 413,
  'ops/unknown-route': 404,
  'ops/not-here': 404,
  'player/unknown': 404,
  'module/unknown': 404,
  'thing/unknown': 404,
  'thing/not-in-log': 404,
  'timer/unknown': 404,
  'kind/unknown': 404,
  'job/unknown': 404,
  'server/unavailable': 503,
  'server/failed': 500,
};

/** Any other code is a refusal by a rule, which may have any name: 409. */
export const statusOf = (code: string): number => (Object.hasOwn(statuses, code) && statuses[code]) || 409;
