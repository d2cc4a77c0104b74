export type { Bounces } from '../src/base/bounces.ts';
export { BlockList, type Entry, hashOf } from '../src/features/bounces/block_list.ts';
export { ownersOf } from '../src/features/bounces/owners.ts';
export { providersIn, secretsOf, variablesOf } from '../src/features/bounces/providers/index.ts';
export { shownHash } from '../src/features/bounces/take_events.ts';
