import { late } from '../base/late.ts';
import { behaviour } from './behaviour.ts';
import { feature } from './feature.ts';
import { proof } from './proof/proof.ts';

/** Loaded for the keys that ask for the script. */
export const guardParts = late(
  () => import('./guard_answers.ts'),
  ...['proof_of_work', 'behaviour', 'doubt', 'origins_unknown'],
);

/** Loads the script that proves and counts (packages/element/src/guard), for `proof_of_work` and `behaviour`. */
export const guard = feature({
  name: 'guard',
  isForBrowsers: true,
  settings: (_, before) => (proof.in(before) || behaviour.in(before) ? true : undefined),
  answers: (_, features) => guardParts.loaded.guardAnswers(features),
});
