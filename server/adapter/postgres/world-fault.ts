import { causesOf, GameFault, isA, textAt } from '../../../shared/game-code.ts';

/** The connection is gone, or about to be: administrator, crash, idle time-out, too many connections. */
const CONNECTION = /^(08...|533..|57P0.|25P0[34])$/;
/** Further codes that do not blame the statement: resources, read-only, deadlock, time-outs. */
const SQLSTATE = /^(53...|58...|25006|40001|40P01|55P03|57014)$/;
/** No type, column or index accepts the value. A duplicate of a unique key is a race, so it does not count. */
const DATA = /^(22...|54...|23(?!505)...)$/;
/** Another transaction was in the way. */
const CONTENTION = /^(40001|40P01|55P03)$/;
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
/** Errors of `pg` without a code. */
const MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** Errors of our own connections. A similar error may come from another database or service. */
const ours = new WeakSet<object>();

/** Marks an error of our own connection, so that it is recognised when the game's code throws it. */
export const markOurs = <Thrown>(error: Thrown): Thrown => {
  if (typeof error === 'object' && error !== null) ours.add(error);
  return error;
};

/** Errors with which a pool gave no connection, whatever they are: no statement was sent. */
const unconnected = new WeakSet<object>();

export const markUnconnected = <Thrown>(error: Thrown): Thrown => {
  if (typeof error === 'object' && error !== null) unconnected.add(error);
  return markOurs(error);
};

/** Errors of homes that only a process of another release can read. */
const unreadable = new WeakSet<Error>();

export const markUnreadable = (error: Error): Error => {
  unreadable.add(error);
  return error;
};

/**
 * Whether the world failed, not the statement: a retry may succeed. Of errors that the game's code throws, only the
 * loss of our own connection is the world's, and a home that only a process of another release can read.
 */
export const isWorldFault = (error: unknown): boolean =>
  isConnectionFault(error) ||
  (isOfGame(error) && isUnreadableHere(error)) ||
  (!isOfGame(error) && (someCause(error, (code) => SQLSTATE.test(code)) || isPlanLost(error)));

/** Whether another transaction blocked a statement on our connection: serialization, deadlock, lock. */
export const isContention = (error: unknown): boolean => someCause(error, (code) => CONTENTION.test(code));

/** Whether a connection lost its prepared statements: a column has another type now, or they were deallocated. */
export const isPlanLost = (error: unknown): boolean =>
  someCause(error, (code, message) => code === '26000' || (code === '0A000' && message.startsWith('cached plan')));

/** Whether the transaction had another isolation level than ours. */
export const isOtherIsolation = (error: unknown): boolean => someCause(error, (code) => code === '40001');
/** Whether Postgres cannot store the data, or not at that size: the fault of the code that made them. */
export const isDataFault = (error: unknown): boolean => someCause(error, (code) => DATA.test(code));

/** Whether a lock was not obtained: at once if the statement does not wait, else in time. */
export const isLockMissed = (error: unknown): boolean => someCause(error, (code) => code === '55P03');

/** Whether the lock was waited for in vain: `nowait` fails in another routine of Postgres. The message may be in any language. */
export const isWaitOver = (error: unknown): boolean =>
  isLockMissed(error) && causesOf(error).some((one) => textAt(one, 'routine') === 'ProcessInterrupts');

/** Whether Postgres takes no changes, as a standby, to which the connection may lead after a failover. */
export const isReadOnly = (error: unknown): boolean => someCause(error, (code) => code === '25006');

/** Whether another row has the unique key. */
export const isKeyTaken = (error: unknown): boolean => someCause(error, (code) => code === '23505');

/** Whether there was no connection, or it was lost, so that the result of the last statement is unknown. */
export const isConnectionFault = (error: unknown): boolean =>
  someCause(error, (code, message) => CONNECTION.test(code) || SYSTEM.has(code) || MESSAGE.test(message)) ||
  causesOf(error).some((one) => typeof one === 'object' && one !== null && unconnected.has(one));

const isUnreadableHere = (error: unknown): boolean =>
  causesOf(error).some((one) => isA(one, Error) && unreadable.has(one));

const isOfGame = (error: unknown): boolean => causesOf(error).some((one) => isA(one, GameFault));

/** Below a fault of the game only errors of our connections count, because a game may throw similar errors. */
const someCause = (error: unknown, matches: (code: string, message: string) => boolean): boolean => {
  const causes = causesOf(error);
  const ofGame = causes.findIndex((one) => isA(one, GameFault));
  return causes.some(
    (one, at) =>
      (ofGame === -1 || at < ofGame ? isA(one, Error) : typeof one === 'object' && one !== null && ours.has(one)) &&
      matches(textAt(one, 'code') ?? '', textAt(one, 'message') ?? ''),
  );
};
