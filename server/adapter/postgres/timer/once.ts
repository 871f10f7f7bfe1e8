import { OptionsRefused } from '../../../../shared/options/options-refused.ts';
import type { TimerCommand, Tx } from '../../../timer/model/timer-store.ts';
import { jsonOf } from './timer-row.ts';
import type { TimerStatements } from './timer-statements.ts';

/** Without a result the command is new. */
type CommandRow = { readonly is_same: boolean; readonly answer: unknown };

interface Within {
  readonly statements: TimerStatements;
  readonly tx: Tx;
  readonly datedMs: number | null;
}

/** By transaction and id: the call that runs, or waits as the last one. */
const running = new WeakMap<Tx, Map<string, Promise<unknown>>>();

/**
 * Does `work` once for its command's id; a repetition gets the stored answer. Undefined: the id is another command's.
 * Calls with one id in one transaction run one after another, because a transaction does not wait for its own rows.
 */
export const once = <T>(within: Within, command: TimerCommand, work: () => Promise<T>): Promise<T | undefined> => {
  const ofTx = running.get(within.tx) ?? new Map<string, Promise<unknown>>();
  running.set(within.tx, ofTx);
  const begin = (): Promise<T | undefined> => doOnce(within, command, work);
  const before = ofTx.get(command.id);
  const done = (before === undefined ? begin() : before.then(begin, begin)).finally(() => {
    if (ofTx.get(command.id) === done) ofTx.delete(command.id);
  });
  ofTx.set(command.id, done);
  return done;
};

const doOnce = async <T>(
  { statements, tx, datedMs }: Within,
  { id, body }: TimerCommand,
  work: () => Promise<T>,
): Promise<T | undefined> => {
  const [command] = await statements.rows<CommandRow>('beginCommand', [id, jsonOf(body), datedMs], tx);
  if (!command?.is_same) return undefined;
  if (command.answer !== null) return command.answer as T;
  const answer = await work().catch(async (error: unknown) => {
    // Refused before it wrote: the caller may go on in its transaction, and the id stands for nothing.
    const isRefused = error instanceof OptionsRefused && error.cause === undefined;
    if (isRefused) await statements.run('dropCommand', [id], tx);
    throw error;
  });
  await statements.run('endCommand', [id, jsonOf(answer)], tx);
  return answer;
};
