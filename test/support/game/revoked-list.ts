import type { Bearer } from '../../../server/home/revocations.ts';

/** Revoked keys in memory, as rooms ask for them: what they ask at joins and what they have seen are the same. */
export const revokedList = () => {
  const issuedUntilMs = new Map<string, number>();
  const wasRevoked = ({ keys, issuedAtMs }: Bearer): boolean =>
    keys.some((key) => (issuedUntilMs.get(key) ?? -1) >= issuedAtMs);
  return {
    revoke: (key: string, untilMs: number): void => void issuedUntilMs.set(key, untilMs),
    wasRevoked,
    isRevoked: async (bearer: Bearer): Promise<boolean> => wasRevoked(bearer),
  };
};
