import { StoreFault } from '../../../server/home/model/faults.ts';
import type { RulesStore } from '../../../server/home/model/rules-store.ts';
import type { SimDatabase } from './sim-database.ts';
import type { SimProcess } from './sim-process.ts';
import type { Wire } from './wire.ts';

interface Dependencies {
  readonly process: SimProcess;
  readonly database: SimDatabase;
  readonly wire: Wire;
}

/** One process' way to the versions of the field's rules in the simulated database. */
export const simRules = ({ process, database, wire }: Dependencies): Pick<RulesStore, 'newest' | 'at'> => {
  const read = <T>(apply: () => T): Promise<T> =>
    wire.ask(process, 'rules', apply).catch((error: unknown) => {
      throw new StoreFault('down', error);
    });
  return {
    newest: () => read(() => database.rulesNumber),
    at: (number) =>
      read(() => {
        const { growMs, atMs } = database.growths[number - 1] ?? { growMs: 0, atMs: 0 };
        const about = { source: 'operator', by: 'dee', reason: 'a sale', atMs } as const;
        return { versions: [{ number, version: number, module: 'field', config: { growMs }, ...about }], items: [] };
      }),
  };
};
