import type { PoolClient } from 'pg';
import type { Tx } from '../../timer/model/timer-store.ts';

/** A statement that each connection prepares once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Runs a statement; `Row` is what the caller knows of its columns. */
export const query = async <Row>(tx: Tx, { name, text, values }: Statement): Promise<readonly Row[]> =>
  (await (tx as PoolClient).query({ name, text, values: [...values] })).rows as Row[];

/**
 * Runs steps one after the other on one connection; on a connection that pipelines, without waiting for each answer.
 * Throws the first failure, after all have been answered.
 */
export const inOrder = async (tx: Tx, steps: readonly (() => Promise<unknown>)[]): Promise<void> => {
  if (!isPipelining(tx)) {
    for (const step of steps) await step();
    return;
  }
  const answers = await Promise.allSettled(steps.map((step) => step()));
  const failure = answers.find((answer) => answer.status === 'rejected');
  if (failure) throw failure.reason;
};

/** Of a client, or of a pool's options: whether statements that do not wait for each other share round trips. */
export const isPipelining = (on: object): boolean => 'pipeline' in on && on.pipeline === true;
