export type { Counter, CountPlace, CountStore, Tally } from '../src/base/counts.ts';
export { hiddenIn } from '../src/counting/hidden.ts';
export { openCounts } from '../src/counting/stores/index.ts';
export { noTally, readTally, usedOf } from '../src/counting/tally.ts';
export {
  everyClaim,
  linkKeys,
  linkOf,
  onceKeys,
  type Places,
  placesKey,
  registrationOf,
} from '../src/features/places/claims.ts';
export { everyKey } from '../src/features/places/every_key.ts';
export { places } from '../src/features/places/places.ts';
