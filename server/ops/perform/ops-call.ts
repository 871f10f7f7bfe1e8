import type { OpsRole } from '../../../shared/ops/act.ts';
import type { OpsInput, OpsRouteName, OpsWrite } from '../../../shared/ops/acts.ts';

export interface Operator {
  readonly name: string;
  readonly role: OpsRole;
}

/** A request that is checked: who asks, the parts of the path, and the query or the body. */
export interface OpsCall<Name extends OpsRouteName> {
  readonly operator: Operator;
  readonly parts: {
    readonly playerId: string;
    readonly timerId: string;
    readonly jobId: string;
    readonly kind: string;
  };
  readonly input: OpsInput<Name>;
}

/** A write that says nothing but why. */
export type OpsPlainCall = Omit<OpsCall<'freeze'>, 'input'> & { readonly input: OpsWrite };
