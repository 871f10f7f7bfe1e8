/** A mutant that survives, and why nobody notices: it does the same, or a slower test of this name notices. */
export interface Explained {
  readonly file: string;
  /** The piece as it is written, on one line. */
  readonly was: string;
  /** What the mutant has instead; default: whatever it has. */
  readonly is?: string;
  readonly why: string;
}

/** Several of one file that survive for the same reason; a piece with what the mutant has instead, or alone. */
export const because = (
  file: string,
  why: string,
  pieces: readonly (string | readonly [was: string, is: string])[],
): readonly Explained[] =>
  pieces.map((piece) =>
    typeof piece === 'string' ? { file, was: piece, why } : { file, was: piece[0], is: piece[1], why },
  );
