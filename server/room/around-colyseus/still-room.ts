import type { Room } from '@colyseus/core';

const SECOND_MS = 1_000;

/**
 * Lets a room neither patch nor tick by itself. Seen in @colyseus/core 0.18.17: a room without a patch rate that never had a
 * timer is ticked 60 times a second, so it gets a timer first, which the last call takes away.
 */
export const keepStill = (room: Room): void => {
  room.setTimestep(() => {}, SECOND_MS);
  room.patchRate = null;
  room.setTimestep();
};
