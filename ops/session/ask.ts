import type { OpsInput } from '../../shared/ops/acts.ts';
import { type OpsRouteName, opsActs, opsPath } from '../../shared/ops/acts.ts';
import type { OpsAnswers, OpsError } from '../../shared/ops/ops-answers.ts';

export type Parts = Readonly<Record<string, string>>;

/** Why there is no answer: the server's code, or `page/offline` without a response. */
export class AskFault extends Error {
  readonly code: string;
  readonly status: number;
  readonly params: OpsError['params'];

  constructor({ code, message, params = {} }: Omit<OpsError, 'params'> & Partial<OpsError>, status: number) {
    super(message);
    this.code = code;
    this.status = status;
    this.params = params;
  }

  /** It may have been done or not: sending the same `commandId` again is harmless, and shows it. */
  get isOutcomeUnknown(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

/** What was thrown, as a fault. */
export const faultOf = (error: unknown): AskFault =>
  error instanceof AskFault ? error : new AskFault({ code: 'page/fault', message: `${error}` }, 0);

/** An answer, and the server's time of it. */
export interface Asked<Answer> {
  readonly answer: Answer;
  readonly atMs: number;
}

/** A job may take two minutes. Then the outcome is unknown, and the same `commandId` can be sent again. */
const ANSWER_MS = 150_000;

/** Asks one route of the ops API. Throws an `AskFault`. */
export const ask = async <Name extends OpsRouteName>(
  token: string,
  name: Name,
  parts: Parts = {},
  input: OpsInput<Name> | object = {},
): Promise<Asked<OpsAnswers[Name]>> => {
  const { method } = opsActs[name];
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const query = method === 'GET' && given.length > 0 ? `?${new URLSearchParams(given)}` : '';
  const response = await fetch(opsPath(name, parts) + query, {
    method,
    signal: AbortSignal.timeout(ANSWER_MS),
    // Other characters cannot be sent, and no token has them.
    headers: { authorization: `Bearer ${token.replaceAll(/[^ -~]/g, '?')}`, 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: JSON.stringify(Object.fromEntries(given)) } : {}),
  }).catch(() => undefined);
  if (!response) throw new AskFault({ code: 'page/offline', message: '' }, 0);
  const body = (await response.json().catch(() => undefined)) as (OpsAnswers[Name] & Refused) | undefined;
  if (response.ok && body !== undefined) {
    return { answer: body, atMs: Date.parse(response.headers.get('date') ?? '') };
  }
  // The gate before the API answers `{ error }`.
  const { code, error = '', message = error, params = {} }: Refused = body ?? {};
  throw new AskFault({ code: code ?? (error || 'page/no-kibble'), message, params }, code ? response.status : 500);
};

type Refused = Partial<OpsError> & { readonly error?: string };
