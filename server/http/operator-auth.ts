import { createHash, timingSafeEqual } from 'node:crypto';
import type { Config } from '../settings/config.ts';

type OpsToken = Config['opsTokens'][number];

export type Operator = Pick<OpsToken, 'name' | 'role'>;

/** Who sends this `Authorization` header; undefined: no operator. */
export type OperatorOf = (authorization: string | undefined) => Operator | undefined;

/** Finds operators by their bearer tokens. How long it takes says nothing about how much of a token was right. */
export const operatorAuth = (tokens: readonly OpsToken[]): OperatorOf => {
  const known = tokens.map(({ name, role, token }) => ({ name, role, digest: digestOf(token) }));
  return (authorization) => {
    const sent = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (sent === undefined) return undefined;
    const digest = digestOf(sent);
    // All of them, always.
    const found = known.filter((operator) => timingSafeEqual(operator.digest, digest))[0];
    return found && { name: found.name, role: found.role };
  };
};

/** Of one length, as the comparison wants it. */
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
