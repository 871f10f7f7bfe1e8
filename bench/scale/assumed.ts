import { limits } from '../../server/settings/config.ts';
import type { Bounds, Play } from './model.ts';

/** How people are assumed to play; the page of it says so, and what each doubling would do. */
export const assumedPlay: Play = {
  players: 1_000_000,
  feedingsADay: 3,
  commandsAFeeding: 2,
  joinsADay: 4,
  peakFactor: 4,
  onlineShare: 0.1,
  petsAPlayer: 1,
  // As the server has them by default.
  eventDays: 90,
};

export const bounds: Bounds = {
  roomsAProcess: limits.rooms.rooms,
  lanesAProcess: limits.writePath.parallelBatches,
  busyShare: 0.5,
};
