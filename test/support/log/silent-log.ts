/** For tests that expect faults. */
export { silent as silentLog } from '../../../server/wiring/console-log.ts';
