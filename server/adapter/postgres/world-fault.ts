/** The connection is gone, or about to be: administrator, crash, idle time-out, no room for another one. */
const CONNECTION = /^(08...|533..|57P0.|25P0[34])$/;
/** Further codes that say nothing about what was asked: resources, deadlock, time-outs. */
const SQLSTATE = /^(53...|58...|40001|40P01|55P03|57014)$/;
const DATA = /^(22...|54...|23(?!505)...)$/;
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
  someCause(error, (code) => SQLSTATE.test(code)) || isConnectionFault(error);

/**
 * Whether it is data that Postgres cannot hold, or only at a size that it does not take: the fault of who made them. A key of
 * ours that is there already is a race.
 */
export const isDataFault = (error: unknown): boolean => someCause(error, (code) => DATA.test(code));

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
