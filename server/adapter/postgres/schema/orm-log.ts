import type { Logger } from 'typeorm';
import type { EngineLog } from '../../../runtime/engine-log.ts';

/** TypeORM's logger on ours. Statements are not logged, and failed ones are thrown: the code that catches them logs. */
export const ormLog = (log: EngineLog): Logger => ({
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: (message) => log.info({}, message),
  logMigration: (message) => log.info({}, message),
  log: (level, message) => (level === 'warn' ? log.warn({}, String(message)) : log.info({}, String(message))),
});
