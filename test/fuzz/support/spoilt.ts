/**
 * Frames like the given ones with a byte or two changed, cut or doubled: cheaper than to make new ones, and closer to
 * what is right. The first byte stays: it could say goodbye. Same seed, same frames.
 */
export const spoilt = (frames: readonly Uint8Array[], count: number, seed: number): readonly Uint8Array[] => {
  let state = seed >>> 0;
  const below = (end: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % Math.max(1, end);
  };
  return Array.from({ length: count }, () => {
    const frame = Uint8Array.from(frames[below(frames.length)] ?? []);
    const at = 1 + below(frame.length - 1);
    const kind = below(8);
    if (kind === 0) return frame.subarray(0, at);
    if (kind === 1)
      return Uint8Array.from([...frame.subarray(0, at), ...frame.subarray(Math.max(1, at - 9))].slice(0, 4_000));
    for (let change = 0; change <= below(2); change++) {
      const place = 1 + below(frame.length - 1);
      if (place < frame.length) frame[place] = below(256);
    }
    return frame;
  });
};
