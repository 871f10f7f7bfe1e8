import { systemPlatform } from '../../follow/platform.ts';

/** Draws the present state, and returns after how many milliseconds it must be drawn again. */
export type Repaint = () => number;

/** Shorter waits use the browser's frames. */
const FRAME_MS = 40;
const LONGEST_MS = 1_000;

const draws = new Set<Repaint>();
let isScheduled = false;
let cancel = (): void => {};

/** One loop for everything that moves. It sleeps while nothing must be drawn, and while the page is hidden. */
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

/** Draws everything now: after a change, or when the page is shown again. */
export const drawNow = (): void => {
  if (isScheduled) cancel();
  run();
};

/** Returns a function that ends it. */
export const onTick = (draw: Repaint): (() => void) => {
  draws.add(draw);
  drawNow();
  return () => draws.delete(draw);
};

document.addEventListener('visibilitychange', drawNow);
