export type { Aside, Claim, Keep, Kept, Listed, Store } from '../src/base/kept.ts';
export { prunedArchives, pruneLimits } from '../src/keeping/archive_pruner.ts';
export { keptOutput, owingPlace } from '../src/keeping/output_match.ts';
export { nextTry, reasonOf } from '../src/keeping/retry_policy.ts';
export { assignment, isSealed, type KeptSubmission, openContent } from '../src/keeping/stores/entry.ts';
export { openStore } from '../src/keeping/stores/index.ts';
