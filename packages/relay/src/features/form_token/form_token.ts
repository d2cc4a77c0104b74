import { late } from '../../base/late.ts';
import { feature } from '../feature.ts';
import { minFill } from '../min_fill.ts';
import { proof } from '../proof/proof.ts';

/** Loaded for the keys that ask for a token or a challenge. */
export const tokenParts = late(
  () => import('./token_answers.ts'),
  ...['min_fill_seconds', 'proof_of_work', 'doubt', 'origins_unknown'],
);

/** The token that `min_fill_seconds` and `proof_of_work` share, and the challenge that goes with it. */
export const formToken = feature({
  name: 'form_token',
  isForBrowsers: true,
  settings: (_, before) => (minFill.in(before) || proof.in(before) ? true : undefined),
  answers: () => tokenParts.loaded.tokenAnswers,
  routes: [
    {
      name: 'token',
      methods: 'GET',
      answer: async (call) => tokenParts.use(({ answerToken }) => answerToken(call)),
    },
    {
      name: 'challenge',
      methods: 'GET',
      answer: async (call) => (await import('../proof/challenge_answer.ts')).answerChallenge(call),
    },
  ],
});
