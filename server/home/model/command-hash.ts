import { createHash } from 'node:crypto';

/** Equal for equal bodies, whatever the order of their fields. 132 bits of SHA-256. */
export const commandHash = (command: object): string =>
  createHash('sha256').update(JSON.stringify(command, sortedKeys)).digest('base64url').slice(0, 22);

const sortedKeys = (_key: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
