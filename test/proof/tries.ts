/** Set by `npm run proof`, which tries what is long and random in full; `npm test`, made for every change, takes a part. */
const isProof = process.env.KIBBLE_PROOF === '1';

/** How often something random is tried in this run. */
export const tries = ({ test, proof }: { readonly test: number; readonly proof: number }): number =>
  isProof ? proof : test;
