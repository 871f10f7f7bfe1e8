// The entry `colyseus-kibble/work`. Pages import the arithmetic from `work.ts`, which needs no calendar.

export * from '../work.ts';
export { nextAt } from './cron-shape.ts';
