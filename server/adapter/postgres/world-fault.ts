/** SQLSTATE classes and codes that say nothing about what was asked: connection, resources, deadlock, time-outs. */
const SQLSTATE = /^(08...|53...|57P0.|58...|40001|40P01|55P03|57014|25P0[34])$/;
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
export const isWorldFault = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (SQLSTATE.test(code) || SYSTEM.has(code) || MESSAGE.test(error.message)) return true;
  return isWorldFault(error.cause);
};
