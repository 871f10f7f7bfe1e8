import type { EngineLog } from '../../server/timer/engine-log.ts';

/** For tests that expect faults. */
export const silentLog: EngineLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
