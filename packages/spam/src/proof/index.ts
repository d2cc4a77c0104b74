/** `spam.proof_of_work`: the visitor's browser solves a puzzle. Challenged visitors solve a harder one. */

import { jsonAnswer } from '@form-relay/core/html/fragments';
import type { Plugin, RouteContext } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import { noTokenSecret, refused } from '@form-relay/core/submission';
import { boolean, oneOf } from '@form-relay/schema/scalars';
import { optional } from '@form-relay/schema/schema';
import type {} from '../captcha/captcha.ts';
import type { TokenUse } from '../form_token.ts';
import { thresholdsOf } from '../score/marks.ts';
import { hardness, proofField } from './challenge.ts';
import { checkProof } from './check.ts';
import { challengeMarkup, guardMarkup, puzzleExtras, puzzleFor, UsedOnce } from './markup.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly proof: Proof;
  }
}

/** How a visitor's browser proves that it did some work. */
export interface Proof {
  /**
   * The token that carries the puzzle, which is the min-fill token if the form has one. The solution is valid
   * as long as the token.
   */
  readonly formToken: TokenUse;
  /** Whether all visitors solve a puzzle, not only challenged ones. */
  readonly isForAll: boolean;
  /** Challenged visitors solve a harder puzzle instead of a captcha. */
  readonly asksChallenged: boolean;
}

const keys = {
  proof_of_work: optional(
    'Makes the visitor’s browser solve a puzzle while the form is filled in. Needs FORM_TOKEN_SECRET.',
    boolean(),
  ),
  challenge: optional(
    'Challenge if a submission is in doubt: a harder puzzle for the browser, or the form’s captcha with `only_in_doubt: true`. Default: the form’s captcha, or copying a number.',
    oneOf(['proof_of_work', 'captcha']),
  ),
};

const twoHoursMs = 7_200_000;

/** Config keys that also load this plug-in. */
export const uses = ['spam doubt', 'topSpam doubt'];

export const plugin = (): Plugin => {
  const used = new UsedOnce();

  const answerChallenge = ({ form, settings, services, request, respond }: RouteContext) => {
    const proof = form.provided.get('proof');
    if (form.provided.get('form_token') && settings.formTokenSecret === '') return respond(noTokenSecret);
    if (!proof) return respond(refused(404, 'unknown_page'));
    const tokenRequest = { formId: form.id, settings, services, request, now: services.now() };
    // A widget must always get a puzzle. If only challenged visitors solve one, use that difficulty.
    const most = proof.isForAll ? hardness.usual : hardness.challenged;
    return jsonAnswer(200, puzzleFor(proof, tokenRequest, most) ?? {});
  };

  return {
    name: 'proof_of_work',
    features: [
      feature({
        name: 'proof',
        after: ['min_fill', 'captcha', 'origin'],
        before: ['form_token'],
        keys: { sharedSpam: keys },
        configure: ({ spam, topSpam, provided }, at) => {
          const isForAll = (spam.proof_of_work ?? topSpam.proof_of_work) === true;
          const thresholds = thresholdsOf(spam, topSpam);
          const challenge = spam.challenge ?? topSpam.challenge;
          const inDoubt = provided.get('captcha')?.onlyInDoubt === true;
          if (challenge === 'captcha' && !inDoubt)
            at.in('spam', 'challenge').error(
              'the form has no captcha for challenged visitors; add one with only_in_doubt: true',
            );
          const asksPuzzle = !inDoubt || challenge === 'proof_of_work';
          const mayAsk = asksPuzzle && thresholds.some(({ action }) => action === 'challenge');
          if (!isForAll && !mayAsk) return undefined;
          const key = isForAll ? 'proof_of_work' : 'doubt';
          const place = spam[key] === undefined ? at.fromTop('spam', key) : at.in('spam', key);
          place.needsEnv('FORM_TOKEN_SECRET');
          // Min-fill's settings for its token, if the form has its own spam block.
          const { token_field: own, form_ttl: ttl }: Readonly<Record<string, unknown>> = spam;
          const formToken: TokenUse = {
            field: typeof own === 'string' ? own : '_ts',
            ttlMs: typeof ttl === 'number' ? ttl : twoHoursMs,
            extras: (request) => puzzleExtras(proof, request),
            markup: (view, token) => challengeMarkup(proof, view, token),
          };
          const proof: Proof = { formToken, isForAll, asksChallenged: asksPuzzle };
          return {
            provides: proof,
            ...(isForAll && {
              cards: [
                {
                  name: 'proof of work',
                  says: 'makes the browser solve a puzzle first',
                  withoutBrowser: ', where no script solves the puzzle, so the form comes back',
                },
              ],
            }),
            browsersOnly: true,
            reserves: [
              { name: proofField, what: 'the solution of the puzzle', key: [] },
              // A form with its own spam block has already reserved it (min_fill).
              ...(own === undefined
                ? [
                    {
                      name: formToken.field,
                      what: 'the token that carries the puzzle',
                      key: ['spam', 'token_field'],
                    },
                  ]
                : []),
            ],
            beforeValidation: checkProof(proof, used),
            markup: (view) => guardMarkup(proof, view),
          };
        },
        routes: [{ name: 'challenge', method: 'GET', answer: answerChallenge }],
      }),
    ],
    messages: {
      en: {
        challenge_proof:
          'Not sent yet: one more check is needed. Your entries are still here: please send the form again.',
        challenge_question: 'Type the number {number}',
        challenge_why: 'The number shows that you are a person, not a program.',
        challenge_wrong: 'That was not the number. Please type the new one.',
        challenge_used:
          'This form was already sent. If you saw a confirmation, there is nothing left to do. If not, please send it again.',
        proof_working: 'Just a moment: your browser is doing a short check…',
      },
    },
  };
};
