/** The unit of Prometheus. */
export const seconds = (ms: number): number => ms / 1000;
