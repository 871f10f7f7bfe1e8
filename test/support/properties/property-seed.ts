// Before each test file: laws and histories are tried with the same cases each time, or a change that is not to blame
// would be held up by a case that was never tried before. `PROPERTY_SEED=random` tries new ones, and so do the long
// runs of `npm run simulate`; what they find gets a test of its own.
import fc from 'fast-check';

const seed = process.env.PROPERTY_SEED ?? '1';
if (seed !== 'random') {
  if (!Number.isInteger(Number(seed))) throw new Error(`PROPERTY_SEED is ${seed}: a whole number, or random`);
  fc.configureGlobal({ seed: Number(seed) });
}
