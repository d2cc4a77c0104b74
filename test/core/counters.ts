/** Counters of packages/capacity, opened by name. */
export { openCounterStore as openCounts } from '../../packages/capacity/src/counters/place.ts';
