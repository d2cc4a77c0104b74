/** Set by `npm run fuzz`. */
const fuzzRuns = Number(process.env.FUZZ_RUNS) || undefined;

/** Whether this is `npm run fuzz`, which may take its time. */
export const isFuzzing = fuzzRuns !== undefined;

/**
 * How often a property is tried: `usual` times in `npm test`, FUZZ_RUNS times in `npm run fuzz`, or a `share` of them
 * where each goes over the wire. `npm test` tries the same cases every time, so that it fails only for what was changed;
 * `npm run fuzz` always tries others. fast-check prints the seed of a failure, and how to repeat it.
 */
export const runs = (usual: number, share = 1) =>
  fuzzRuns === undefined ? { numRuns: usual, seed: 1 } : { numRuns: Math.ceil(fuzzRuns * share) };
