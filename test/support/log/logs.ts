import type { EngineLog } from '../../../server/runtime/engine-log.ts';

interface Line {
  readonly level: 'info' | 'warn' | 'error';
  readonly code: unknown;
  readonly message: string;
}

/** A log that keeps its lines. */
export const recordedLog = () => {
  const lines: Line[] = [];
  const at =
    (level: Line['level']) =>
    (fields: object, message: string): void => {
      lines.push({ level, message, code: 'code' in fields ? fields.code : undefined });
    };
  const log: EngineLog = { info: at('info'), warn: at('warn'), error: at('error') };
  return { log, lines, codes: () => lines.map(({ code }) => code) };
};

/** For tests that expect faults. */
export { silent as silentLog } from '../../../server/wiring/console-log.ts';
