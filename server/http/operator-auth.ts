import { createHash, timingSafeEqual } from 'node:crypto';
import type { Operator } from '../ops/ops.ts';
import type { Config } from '../settings/config.ts';

type OpsToken = Config['opsTokens'][number];

/** Finds the operator of an `Authorization` header; undefined: none. */
export type OperatorOf = (authorization: string | undefined) => Operator | undefined;

/** Finds operators by their bearer tokens. The time does not depend on how much of a token is right. */
export const operatorAuth = (tokens: readonly OpsToken[]): OperatorOf => {
  const known = tokens.map(({ name, role, token }) => ({ name, role, digest: digestOf(token) }));
  return (authorization) => {
    const sent = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (sent === undefined) return undefined;
    const digest = digestOf(sent);
    // Compares with all tokens every time.
    const found = known.filter((operator) => timingSafeEqual(operator.digest, digest))[0];
    return found && { name: found.name, role: found.role };
  };
};

/** A digest, because the comparison needs equal lengths. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
