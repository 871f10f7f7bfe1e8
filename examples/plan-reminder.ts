// A training plan has begun: 24 hours later the player is reminded of it, wherever the plan was moved meanwhile.
import { createKibble, type KibbleOptions } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'

const KIND = 'plan-reminder';
const DAY_MS = 86_400_000;

type Push = (playerId: string, text: string, signal: AbortSignal) => Promise<void>;

export const openPlans = (host: Pick<KibbleOptions, 'pool' | 'clock'>, push: Push) => {
  const kibble = createKibble({
    ...host,
    playerId: ({ sub }) => sub,
    kinds: [
      {
        kind: KIND,
        call: ({ owner, payload }, signal) => push(owner, `Your plan "${payload}" began yesterday. How is it?`, signal),
        // A reminder that comes hours late helps nobody: three tries, then it is given up.
        retryDelaysMs: [15_000, 60_000],
      },
    ],
  });

  return {
    kibble,

    begin: async (planId: string, playerId: string, title: string, beginsAtMs: number) => {
      const dueAtMs = beginsAtMs + DAY_MS;
      await kibble.timers.schedule([{ kind: KIND, subject: planId, owner: playerId, dueAtMs, payload: title }]);
    },

    /** False when there is nothing left to be reminded of. */
    move: async (planId: string, beginsAtMs: number) => {
      const [moved] = await kibble.timers.reschedule([{ kind: KIND, subject: planId, dueAtMs: beginsAtMs + DAY_MS }]);
      return moved?.outcome === 'applied';
    },

    /** A player who leaves the game is reminded of nothing. */
    leave: (playerId: string) => kibble.timers.cancelByOwner([playerId]),
  };
};
