// `colyseus-kibble/work`. Pages take the arithmetic from `work.ts`: it needs no calendar.

export * from '../work.ts';
export { nextAt } from './next-at.ts';
