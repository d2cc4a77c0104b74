export type { Counter, CountPlace, CountStore } from '../src/base/counts.ts';
export { openCounts } from '../src/counting/stores/index.ts';
export { readTally, usedOf } from '../src/counting/tally.ts';
export {
  everyClaim,
  linkOf,
  longestLinkMs,
  type Places,
  partKeys,
  placesKey,
  registrationOf,
} from '../src/features/places/claims.ts';
export { places } from '../src/features/places/places.ts';
export { type Counts, type Hidden, hiddenOf, readCounts } from '../src/features/places/read_counts.ts';
