/** Set by `npm run proof`, which tries what is long and random in full; `npm test`, made for every change, takes a part. */
export const isProof = process.env.KIBBLE_PROOF === '1';

/** How often something random is tried in this run. */
export const tries = ({ test, proof }: { readonly test: number; readonly proof: number }): number =>
  isProof ? proof : test;

/** A test of many tries hangs if it takes longer, ms. Its time shows no promise: machines differ, and `bench` measures speed. */
export const HANG_MS = tries({ test: 120_000, proof: 3_600_000 });

/** At most so long, ms. Only `npm run proof` holds to it, and runs the files that call this by themselves, after the others. */
export const timed = (mostMs: number): number => (isProof ? mostMs : Number.POSITIVE_INFINITY);
