/** Runs so many at a time, until all are done. The first that fails ends all. */
export const sideBySide = async (count: number, width: number, act: (at: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) await act(at);
  };
  await Promise.all(Array.from({ length: width }, lane));
};
