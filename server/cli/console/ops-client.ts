import type { OpsInput } from '../../../shared/ops/acts.ts';
import { type OpsRouteName, type OpsWrite, opsActs, opsPath } from '../../../shared/ops/acts.ts';
import type { OpsAnswers, OpsError } from '../../../shared/ops/ops-answers.ts';
import { CommandFault } from './terminal.ts';

interface Options {
  /** The URL of the operators' page; without a path `/ops` is used. */
  readonly url: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

export interface OpsClient {
  /** Throws a `CommandFault` that says in words what was wrong. */
  ask<Name extends OpsRouteName>(
    name: Name,
    parts?: Readonly<Record<string, string>>,
    input?: OpsInput<Name>,
  ): Promise<OpsAnswers[Name]>;
}

/** The ops API of a running server, which does all work on players and timers. */
export const opsClient = ({ url, token, signal }: Options): OpsClient => ({
  ask: async (name, parts = {}, input) => {
    if (/[^\x21-\x7e]/.test(token)) {
      throw new CommandFault(
        'the token has characters that no token has: pass --token or set KIBBLE_TOKEN',
        1,
        'auth/refused',
      );
    }
    const { method } = opsActs[name];
    const given = Object.entries(input ?? {}).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(Object.fromEntries(given.map(([key, value]) => [key, `${value}`])));
    const address = `${pageOf(url)}/${opsPath(name, parts)}`;
    const isRead = method === 'GET';
    // A read and a dry run have done nothing.
    const { commandId }: Partial<OpsWrite> = isRead || Object(input).dryRun === true ? {} : Object(input);
    const response = await fetch(isRead && given.length > 0 ? `${address}?${query}` : address, {
      method,
      // Only reads are aborted: a write that was sent is finished.
      ...(isRead ? { signal } : { body: JSON.stringify(Object.fromEntries(given)) }),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    }).catch((error: unknown) => {
      if (isRead && signal.aborted) throw new CommandFault('stopped', 1, 'stopped');
      throw lostFault(`no server answers at ${url}: ${reasonOf(error)}`, 'server/away', commandId);
    });
    const body = (await response.json().catch(() => undefined)) as Partial<OpsError> | undefined;
    if (response.ok && body !== undefined) return body as OpsAnswers[typeof name];
    const { code, message = '', params = {} }: Partial<OpsError> = body ?? {};
    if (code !== undefined) throw faultOf(response.status, { code, message: message || code, params });
    const text = `what answers at ${pageOf(url)} is no Kibble server (status ${response.status})`;
    throw lostFault(`${text}: --url takes the address of the operators’ page too`, 'server/other', commandId);
  },
});

const pageOf = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname === '/' ? '/ops' : pathname.replace(/\/+$/, '')}`;
};

/** A write without a reply may be done. The same commandId does it once. */
const lostFault = (text: string, code: string, commandId: string | undefined): CommandFault =>
  commandId === undefined
    ? new CommandFault(text, 1, code)
    : new CommandFault(`${text}; it may be done: run the same command again with --command-id ${commandId}`, 1, code, {
        commandId,
      });

const faultOf = (status: number, { code, message, params }: OpsError): CommandFault => {
  if (status === 401) {
    const help = 'the token is missing or wrong: pass --token or set KIBBLE_TOKEN';
    return new CommandFault(help, 1, code, params);
  }
  const { faults: _, ...facts } = params;
  const told = Object.entries(facts).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const text = `${message}${told.length > 0 ? ` (${told.join(', ')})` : ''} [${code}]`;
  return new CommandFault(text, status === 400 ? 2 : 1, code, params);
};

/** The error of `fetch` says little; its cause says more. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error instanceof Error ? error.message : String(error);
};
