import { callGame, textOf } from '../../shared/game-code.ts';
import type { EngineLog } from '../runtime/engine-log.ts';
import { createLog } from '../telemetry/log.ts';

/** The log of a game that names none: warnings and errors as lines on the console. Secrets are removed. */
export const consoleLog = (): EngineLog =>
  createLog({
    level: 'warn',
    isForReader: true,
    destination: { write: (line) => console.error(`kibble ${line.trimEnd()}`) },
  });

/** For `log`: writes nothing, not even failures of a game's own handler or inventory. */
export const silent: EngineLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A game's own log, which may throw or be async: its failures stop nothing. The console reports them once. */
export const guardedLog = (log: EngineLog): EngineLog => {
  let isLogged = false;
  const failed = (thrown: unknown): void => {
    if (!isLogged) console.error(`kibble: the log that it was given fails: ${textOf(thrown)}`);
    isLogged = true;
  };
  const guarded =
    (level: keyof EngineLog): EngineLog['info'] =>
    (fields, message) =>
      void callGame('log', () => log[level](fields, message)).catch(failed);
  return { info: guarded('info'), warn: guarded('warn'), error: guarded('error') };
};
