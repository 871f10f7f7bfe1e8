/** The connection is gone, or about to be: administrator, crash, idle time-out, no room for another one. */
const CONNECTION = /^(08...|533..|57P0.|25P0[34])$/;
/** Further codes that say nothing about what was asked: resources, read-only, deadlock, time-outs. */
const SQLSTATE = /^(53...|58...|25006|40001|40P01|55P03|57014)$/;
const SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** `pg` gives these no code. */
const MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** Whether the world failed, and not what was asked of it: the same again may succeed. */
export const isWorldFault = (error: unknown): boolean =>
  someCause(error, (code) => SQLSTATE.test(code)) || isConnectionFault(error) || isPlanLost(error);

/** Whether a connection has lost what it prepared: a column has another type now, or somebody took back all that was prepared. */
export const isPlanLost = (error: unknown): boolean =>
  someCause(error, (code, message) => code === '26000' || (code === '0A000' && message.startsWith('cached plan')));

/** Whether the transaction had another isolation level than ours. */
export const isOtherIsolation = (error: unknown): boolean => someCause(error, (code) => code === '40001');

/** Whether a lock was not obtained: at once, where nothing waits for it, or in time. */
export const isLockMissed = (error: unknown): boolean => someCause(error, (code) => code === '55P03');

/** Whether the connection was lost, so that nobody knows what became of what was sent last. */
export const isConnectionFault = (error: unknown): boolean =>
  someCause(error, (code, message) => CONNECTION.test(code) || SYSTEM.has(code) || MESSAGE.test(message));

const someCause = (error: unknown, matches: (code: string, message: string) => boolean): boolean => {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return matches(code, error.message) || someCause(error.cause, matches);
};
