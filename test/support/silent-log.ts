import type { EngineLog } from '../../server/timer/engine-log.ts';

/** For tests that are not about the log. */
export const silentLog: EngineLog = { info: () => {}, warn: () => {}, error: () => {} };
