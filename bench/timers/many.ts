/** The timers that wait in `start-armed`, `rebuild` and `full-index`; more with `MANY`. */
export const MANY = Number(process.env.MANY ?? 1_000_000);
export const MANY_TEXT = MANY.toLocaleString('en');
