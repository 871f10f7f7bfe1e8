// The clock of a match: each move adds some seconds to its player's time, and a player without time has lost. The clock runs on while
// processes restart, and stands still during a pause. A move and its time share one transaction.
import { createKibble, type KibbleOptions, type Timer } from '../server/kibble.ts'; // in a game: 'colyseus-kibble'
import type { FireKind, OwnTransaction } from '../server/timers.ts'; // in a game: 'colyseus-kibble/timers'

const KIND = 'flag';

// Its timer is due when `toMove` has no time left. `ply`: the number of the next move.
type Clock = Readonly<{ ply: number; toMove: string; waits: string; waitsLeftMs: number; pausedAtMs?: number }>;
type Act = (timers: OwnTransaction, timer: Timer, clock: Clock) => Promise<string>;
class Over extends Error {}

export const openMatches = (host: Pick<KibbleOptions, 'pool' | 'clock' | 'redis'>, baseMs: number, addedMs: number) => {
  const flag: FireKind = {
    kind: KIND,
    fire: async (timers, tx) => {
      for (const { subject, payload } of timers)
        await tx.query('update matches set loser = $2 where id = $1', [subject, (payload as Clock).toMove]);
    },
  };
  const kibble = createKibble({ ...host, playerId: ({ sub }) => sub, kinds: [flag] });

  // Locks the timer before it reads anything: moves run one after the other, and none runs beside the fall of the flag.
  // The rollback undoes the shift, because a shift resets the attempts of a flag that is retried.
  const withClock = (match: string, act: Act): Promise<string> =>
    kibble.timers
      .transaction(async (timers) => {
        const [locked] = await timers.shift([{ kind: KIND, subject: match, byMs: 0 }]);
        if (locked?.outcome !== 'applied') throw new Over();
        if (!locked.timer.isPaused && locked.timer.dueAtMs <= timers.nowMs) throw new Over();
        return act(timers, locked.timer, locked.timer.payload as Clock);
      })
      .catch((error: unknown) => {
        if (error instanceof Over) return 'over';
        throw error;
      });

  return {
    kibble,

    begin: (match: string, white: string, black: string) =>
      kibble.timers.transaction(async ({ schedule, tx }) => {
        const payload: Clock = { ply: 1, toMove: white, waits: black, waitsLeftMs: baseMs };
        await schedule([{ kind: KIND, subject: match, owner: white, inMs: baseMs, payload }]);
        await tx.query('insert into matches (id) values ($1)', [match]);
      }),

    // `ply`: the number of this move. A repeated move changes nothing: its answer may have been lost.
    move: (match: string, player: string, ply: number, move: string) =>
      withClock(match, async (timers, timer, { ply: next, toMove, waits, waitsLeftMs }) => {
        if (ply < next) return 'made-before';
        if (timer.isPaused || player !== toMove || ply > next) return 'not-now';
        const leftMs = timer.dueAtMs - timers.nowMs + addedMs;
        const payload = { ply: ply + 1, toMove: waits, waits: toMove, waitsLeftMs: leftMs };
        await timers.scheduleOrMove([{ ...timer, dueAtMs: timers.nowMs + waitsLeftMs, payload }]);
        await timers.tx.query('insert into moves values ($1, $2, $3, $4)', [match, ply, player, move]);
        return 'moved';
      }),

    pause: (match: string) =>
      withClock(match, async (timers, { id: timerId }, clock) => {
        await timers.setPayload([{ timerId, payload: { pausedAtMs: timers.nowMs, ...clock } }]);
        await timers.pause([{ timerId }]);
        return 'paused';
      }),

    resume: (match: string) =>
      withClock(match, async (timers, { id: timerId }, { pausedAtMs = timers.nowMs, ...clock }) => {
        await timers.setPayload([{ timerId, payload: clock }]);
        await timers.shift([{ timerId, byMs: timers.nowMs - pausedAtMs }]);
        await timers.resume([{ timerId }]);
        return 'resumed';
      }),
  };
};
