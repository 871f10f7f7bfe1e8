import { causesOf, GameFault, isA, textAt } from '../../../shared/game-code.ts';

/** The connection is gone, or about to be: administrator, crash, idle time-out, no room for another one. */
const CONNECTION = /^(08...|533..|57P0.|25P0[34])$/;
/** Further codes that say nothing about what was asked: resources, read-only, deadlock, time-outs. */
const SQLSTATE = /^(53...|58...|25006|40001|40P01|55P03|57014)$/;
/** No type, no column, no index takes it. A unique key that is there already is a race. */
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
/** `pg` gives these no code. */
const MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** The errors that connections of ours gave. What looks like them may be of another database or service. */
const ours = new WeakSet<object>();

/** Marks an error where a connection of ours gives it, so that it is known again when code of the game throws it. */
export const markOurs = <Thrown>(error: Thrown): Thrown => {
  if (typeof error === 'object' && error !== null) ours.add(error);
  return error;
};

/**
 * Whether the world failed, and not what was asked of it: the same again may succeed. Of what code of the game threw only
 * the loss of our own connection is the world's.
 */
export const isWorldFault = (error: unknown): boolean =>
  isConnectionFault(error) ||
  (!isOfGame(error) && (someCause(error, (code) => SQLSTATE.test(code)) || isPlanLost(error)));

/** Whether another transaction was in the way of a statement on a connection of ours: serialization, deadlock, lock. */
export const isContention = (error: unknown): boolean => someCause(error, (code) => CONTENTION.test(code));

/** Whether a connection has lost what it prepared: a column has another type now, or all that was prepared was deallocated. */
export const isPlanLost = (error: unknown): boolean =>
  someCause(error, (code, message) => code === '26000' || (code === '0A000' && message.startsWith('cached plan')));

/** Whether the transaction had another isolation level than ours. */
export const isOtherIsolation = (error: unknown): boolean => someCause(error, (code) => code === '40001');
/** Whether it is data that Postgres cannot hold, or not at that size: the fault of who made them. */
export const isDataFault = (error: unknown): boolean => someCause(error, (code) => DATA.test(code));

/** Whether a lock was not obtained: at once, where nothing waits for it, or in time. */
export const isLockMissed = (error: unknown): boolean => someCause(error, (code) => code === '55P03');

/** Whether the connection was lost, so that the result of the last statement is unknown. */
export const isConnectionFault = (error: unknown): boolean =>
  someCause(error, (code, message) => CONNECTION.test(code) || SYSTEM.has(code) || MESSAGE.test(message));

const isOfGame = (error: unknown): boolean => causesOf(error).some((one) => isA(one, GameFault));

/** Of the causes from a fault of the game's on, only errors of our connections count: a game may throw what looks like them. */
const someCause = (error: unknown, matches: (code: string, message: string) => boolean): boolean => {
  const causes = causesOf(error);
  const ofGame = causes.findIndex((one) => isA(one, GameFault));
  return causes.some(
    (one, at) =>
      (ofGame === -1 || at < ofGame ? isA(one, Error) : typeof one === 'object' && one !== null && ours.has(one)) &&
      matches(textAt(one, 'code') ?? '', textAt(one, 'message') ?? ''),
  );
};
