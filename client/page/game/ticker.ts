import { systemPlatform } from '../../follow/platform.ts';

/** Draws itself as of now, and returns in how many milliseconds it wants to be drawn next. */
export type Draw = () => number;

/** Below this the browser's frames are the beat. */
const FRAME_MS = 40;
const LONGEST_MS = 1_000;

const draws = new Set<Draw>();
let isScheduled = false;
let cancel = (): void => {};

/** One loop for everything that moves. It sleeps as long as nothing has to be drawn, and while the page is hidden. */
const run = (): void => {
  isScheduled = false;
  if (document.hidden || draws.size === 0) return;
  const waitMs = Math.min(LONGEST_MS, ...[...draws].map((draw) => draw()));
  isScheduled = true;
  if (waitMs < FRAME_MS) {
    const frame = requestAnimationFrame(run);
    cancel = () => cancelAnimationFrame(frame);
  } else cancel = systemPlatform.after(waitMs, run);
};

/** Draws everything now: after a change, or when the page is seen again. */
export const drawNow = (): void => {
  if (isScheduled) cancel();
  run();
};

/** The function that it returns ends it. */
export const onTick = (draw: Draw): (() => void) => {
  draws.add(draw);
  drawNow();
  return () => draws.delete(draw);
};

document.addEventListener('visibilitychange', drawNow);
