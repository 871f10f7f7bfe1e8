import { createKibble, type KibbleOptions, ManualClock, silent } from '../../../server/kibble.ts';
import { hostDatabase } from '../postgres/host-database.ts';

export const START_MS = 1_790_000_000_000;

/** A database on which one release of a game follows the other. */
export const gameThatChanges = async () => {
  const { pool } = await hostDatabase();
  const clock = new ManualClock(START_MS);
  let commands = 0;
  const release = async (options: Partial<KibbleOptions>) => {
    const kibble = createKibble({ pool, clock, log: silent, playerId: ({ sub }) => sub, ...options });
    await kibble.lifecycle.boot();
    return {
      kibble,
      say: async (playerId: string, type: string, payload: object) => {
        const order = { playerId, type, payload: { commandId: `command-${++commands}`, ...payload } };
        return (await kibble.homes.handle([order]))[0];
      },
      runDue: () => kibble.runDue(),
      home: async (playerId: string) => (await kibble.homes.look([playerId]))[0]?.home,
      end: () => kibble.lifecycle.shutdown(),
    };
  };
  return { pool, clock, release };
};
