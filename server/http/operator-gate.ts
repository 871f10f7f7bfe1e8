import type { Request } from 'express';
import type { Operator, OperatorOf } from './operator-auth.ts';
import type { RateLimit } from './rate-limit.ts';

export interface OperatorGateOptions {
  readonly operatorOf: OperatorOf;
  /** Wrong tokens, by address. Undefined: nobody is limited. */
  readonly wrongTokens?: RateLimit | undefined;
  /** Default: what the gate in front of the reference server has written. */
  readonly addressOf?: ((request: Request) => string) | undefined;
}

/** Who asks; undefined: no operator. Or how long nobody at that address is listened to, ms. */
export type Admitted = Operator | { readonly retryAfterMs: number } | undefined;

/** Knows operators by their tokens; an address that guesses is blocked for a while, not even with a right one. */
export const operatorGate =
  ({ operatorOf, wrongTokens, addressOf = gatedAddressOf }: OperatorGateOptions) =>
  async (request: Request): Promise<Admitted> => {
    const address = addressOf(request);
    const retryAfterMs = (await wrongTokens?.waitMs(address)) ?? 0;
    if (retryAfterMs > 0) return { retryAfterMs };
    const { authorization } = request.headers;
    const operator = operatorOf(authorization);
    // Who sends nothing guesses nothing.
    if (!operator && authorization !== undefined) await wrongTokens?.consume(address);
    return operator;
  };

/** As the gate in front has written it; where there is none, a header would be the client's own invention. */
const gatedAddressOf = ({ headers, socket }: Request): string =>
  String(headers['x-real-ip'] ?? socket.remoteAddress ?? '');
