export interface Pace {
  /** All players together, after the ramp-up. */
  readonly perSec: number;
  /** The rate grows evenly from nothing during this time. */
  readonly rampUpMs: number;
}

/**
 * When command number `count` (from 0) is due, in ms from the start. Commands are due by the clock, not after earlier
 * replies: a server that stands still cannot reduce the load that would show it.
 */
export const dueMsOf = (count: number, { perSec, rampUpMs }: Pace): number => {
  const ofRampUp = (perSec * rampUpMs) / 2000;
  if (count < ofRampUp) return Math.sqrt((2000 * count * rampUpMs) / perSec);
  return rampUpMs + ((count - ofRampUp) * 1000) / perSec;
};

/** The number of commands, if they come for `forMs` after the ramp-up. */
export const countOf = ({ perSec, rampUpMs }: Pace, forMs: number): number =>
  Math.ceil((perSec * (rampUpMs / 2 + forMs)) / 1000);
