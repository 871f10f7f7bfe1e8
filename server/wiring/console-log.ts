import type { EngineLog } from '../runtime/engine-log.ts';
import { createLog } from '../telemetry/log.ts';

/** What a game has that names no log: warnings and errors as lines on the console. Secrets are taken out. */
export const consoleLog = (): EngineLog =>
  createLog({
    level: 'warn',
    isForReader: true,
    destination: { write: (line) => console.error(`kibble ${line.trimEnd()}`) },
  });

/** For `log`: says nothing at all, not even that a game's own handler or inventory failed. */
export const silent: EngineLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
