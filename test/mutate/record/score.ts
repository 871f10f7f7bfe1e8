import type { RoomResult } from './results.ts';

export interface Score {
  readonly killed: number;
  readonly timeouts: number;
  readonly survived: number;
  readonly percent: number;
}

/** Of all mutants of a room, how many made a test fail or hang. */
export const scoreOf = (room: RoomResult): Score => {
  const files = Object.values(room);
  const killed = files.reduce((sum, file) => sum + file.killed, 0);
  const timeouts = files.reduce((sum, file) => sum + file.timeouts, 0);
  const survived = files.reduce((sum, { survivors }) => sum + survivors.length, 0);
  return { killed, timeouts, survived, percent: (100 * (killed + timeouts)) / (killed + timeouts + survived) };
};
