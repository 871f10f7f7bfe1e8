import { causesOf, GameFault, isA } from '../../../shared/game-code.ts';
import { RefusedByHost } from '../../../shared/host-rows.ts';
import { type Rejection, reject } from '../../../shared/protocol.ts';
import { Impossible } from '../../domain/draft.ts';
import { faultRejection, ModuleFault, refusalFlaw } from '../../domain/module-fault.ts';

/** A part that the game supplies, and one of its methods. */
export type HostPart =
  | 'inventory/load'
  | 'inventory/apply'
  | 'inventory/erase'
  | 'inventory/merge'
  | 'consumer/handle'
  | 'hook/playerId';

/** Code of the game failed: neither Kibble, nor the world unless `retryable`. */
export class HostFault extends Error {
  readonly code: HostPart;
  /** The world failed in it (a connection, a time-out): a retry may succeed. */
  readonly retryable: boolean;

  constructor(code: HostPart, thrown: unknown, isOfWorld = false) {
    const cause = isA(thrown, GameFault) ? thrown : new GameFault(code, thrown);
    super(`${code} of the game failed: ${cause.text}`, { cause });
    this.name = 'HostFault';
    this.code = code;
    this.retryable = isOfWorld;
  }
}

/** The game's fault that an error wraps, if a retry would meet it again. */
export const lastingHostFault = (error: unknown): HostFault | undefined => {
  const fault = causesOf(error).find((cause) => isA(cause, HostFault));
  return fault?.retryable ? undefined : fault;
};

/** The fault of a module's that an error wraps. */
export const moduleFaultIn = (error: unknown): ModuleFault | undefined =>
  causesOf(error).find((cause) => isA(cause, ModuleFault));

/** The error to log: the game's fault if the error wraps one. */
export const faultIn = (error: unknown): unknown => moduleFaultIn(error) ?? lastingHostFault(error) ?? error;

/** The refusal of a command that met a module's fault, or that the game's own rows refused. */
export const rejectionOfHost = (fault: ModuleFault): Rejection => {
  const { thrown } = fault;
  if (!isA(thrown, RefusedByHost) || refusalFlaw(thrown)) return faultRejection(fault);
  return reject(thrown.code, thrown.params);
};

/** The refusal for a failure. A retry would meet a fault of the game again. */
export const rejectionOf = (error: unknown): Rejection => {
  const fault = moduleFaultIn(error);
  if (fault) return rejectionOfHost(fault);
  if (isA(error, Impossible)) return reject(error.code, error.params);
  return reject(lastingHostFault(error) ? 'inventory/refused' : 'server/unavailable');
};

/**
 * `down`: the store cannot be reached and nothing was done. `failed`: the transaction was rolled back. `unknown`: the
 * outcome of the commit was lost. `locked`: another transaction has locked the home; nothing was done. `unsettled`:
 * more is due than one batch settles; only settling goes on.
 */
export type StoreFaultKind = 'down' | 'failed' | 'unknown' | 'locked' | 'unsettled';

/** The store could not do its work. Wraps the driver's error. */
export class StoreFault extends Error {
  readonly kind: StoreFaultKind;

  constructor(kind: StoreFaultKind, cause: unknown) {
    super(`the store is ${kind}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'StoreFault';
    this.kind = kind;
  }
}

/** It is unknown whether the command took effect. Sent again under the same `commandId` it takes effect once. */
export class OutcomeUnknown extends Error {
  readonly code = 'outcome/unknown';
  readonly retryable = true;

  constructor(cause: unknown) {
    super('the answer to the commit was lost: send the same commandId again', { cause });
    this.name = 'OutcomeUnknown';
  }
}
