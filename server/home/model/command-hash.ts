import { createHash } from 'node:crypto';

/** Equal for equal bodies, whatever the order of their fields. 132 bits of SHA-256. */
export const commandHash = (command: object): string =>
  createHash('sha256').update(JSON.stringify(command, sortedKeys)).digest('base64url').slice(0, 22);

/** A schema may make a BigInt of a text. */
const sortedKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint'
    ? `${value}n`
    : value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
