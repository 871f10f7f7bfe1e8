import type { Tx } from '../../timer/model/timer-store.ts';
import { send } from './send.ts';

/** A statement that each connection prepares once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Runs a statement; `Row` is what the caller knows of its columns. */
export const query = async <Row>(tx: Tx, { name, text, values }: Statement): Promise<readonly Row[]> =>
  (await send(tx, { name, text, values: [...values] })).rows as Row[];

/** A statement that is sent when called. */
export type Step<Result = unknown> = () => Promise<Result>;

type ResultsOf<Steps extends readonly Step[]> = { -readonly [At in keyof Steps]: Awaited<ReturnType<Steps[At]>> };

/**
 * Runs steps one after the other on one connection, and returns their results; on a connection that pipelines, without
 * waiting for each result. Throws the first failure, after all steps have ended.
 */
export const inOrder = async <const Steps extends readonly Step[]>(tx: Tx, steps: Steps): Promise<ResultsOf<Steps>> =>
  (isPipelining(tx) ? await pipelined(steps) : await oneByOne(steps)) as ResultsOf<Steps>;

const oneByOne = async (steps: readonly Step[]): Promise<unknown[]> => {
  const results: unknown[] = [];
  for (const step of steps) results.push(await step());
  return results;
};

const pipelined = async (steps: readonly Step[]): Promise<unknown[]> => {
  const ends = await Promise.allSettled(steps.map((step) => step()));
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
};

/** Of a client, or of a pool's options: whether statements that do not wait for each other share round trips. */
export const isPipelining = (on: object): boolean => 'pipeline' in on && on.pipeline === true;
