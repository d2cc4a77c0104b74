/** Set by `npm run fuzz`. */
const fuzzRuns = Number(process.env.FUZZ_RUNS) || undefined;

/** Whether this is `npm run fuzz`, which may take its time. */
export const isFuzzing = fuzzRuns !== undefined;

/**
 * How often a property is tried: `usual` times in `npm test`, FUZZ_RUNS times in `npm run fuzz`, or a `share` of them
 * where each goes over the wire. fast-check prints the seed of a failure, and how to repeat it.
 */
export const runs = (usual: number, share = 1) => ({
  numRuns: fuzzRuns === undefined ? usual : Math.ceil(fuzzRuns * share),
});
