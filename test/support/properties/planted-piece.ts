/** Replaces a piece of a script; a piece that is not there would be a test of nothing. */
export const plantedPiece = (piece: string, by: string) => {
  let isFound = false;
  return {
    plant: (lua: string): string => {
      isFound ||= lua.includes(piece);
      return lua.replace(piece, () => by);
    },
    isPlanted: () => isFound,
  };
};
