import { late } from '../base/late.ts';
import { feature } from './feature.ts';
import { proof } from './proof/proof.ts';

/** Loaded for the keys that ask for the script. */
export const guardParts = late(
  () => import('./guard_answers.ts'),
  ...['proof_of_work', 'doubt', 'origins_unknown'],
);

/** Loads the script that solves the puzzles of `proof_of_work` (packages/element/src/guard). */
export const guard = feature({
  name: 'guard',
  isForBrowsers: true,
  settings: (_, before) => (proof.in(before) ? true : undefined),
  answers: (_, features) => guardParts.loaded.guardAnswers(features),
});
