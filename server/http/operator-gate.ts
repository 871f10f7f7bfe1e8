import type { Request } from 'express';
import type { Operator } from '../ops/ops.ts';
import type { OperatorOf } from './operator-auth.ts';
import type { RateLimit } from './rate-limit.ts';

export interface OperatorGateOptions {
  readonly operatorOf: OperatorOf;
  /** Limits wrong tokens by address. Undefined: no limit. */
  readonly wrongTokens?: RateLimit | undefined;
  /** Default: the address from the gate in front of the reference server. */
  readonly addressOf?: ((request: Request) => string) | undefined;
}

/** The operator; undefined: none. Or the time in ms for which this address is blocked. */
export type Admitted = Operator | { readonly retryAfterMs: number } | undefined;

/** Finds operators by their tokens. An address that guesses is blocked for a while, even with a right token. */
export const operatorGate =
  ({ operatorOf, wrongTokens, addressOf = gatedAddressOf }: OperatorGateOptions) =>
  async (request: Request): Promise<Admitted> => {
    const address = addressOf(request);
    const retryAfterMs = (await wrongTokens?.waitMs(address)) ?? 0;
    if (retryAfterMs > 0) return { retryAfterMs };
    const { authorization } = request.headers;
    const operator = operatorOf(authorization);
    // A request without a token is no guess.
    if (!operator && authorization !== undefined) await wrongTokens?.consume(address);
    return operator;
  };

/** The address from the gate in front; without a gate, a client could forge the header. */
const gatedAddressOf = ({ headers, socket }: Request): string =>
  String(headers['x-real-ip'] ?? socket.remoteAddress ?? '');
