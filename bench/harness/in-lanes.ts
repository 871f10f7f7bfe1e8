/** Makes so many calls, `inFlight` of them open at once; answers how many microseconds each took of the whole. */
export const microsACall = async (
  count: number,
  inFlight: number,
  call: (number: number) => Promise<unknown>,
): Promise<number> => {
  const startedAtMs = performance.now();
  await inLanes(count, inFlight, call);
  return ((performance.now() - startedAtMs) * 1000) / count;
};

/** The same, not measured. */
export const inLanes = async (
  count: number,
  inFlight: number,
  call: (number: number) => Promise<unknown>,
): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
};
