/** `spam.proof_of_work`: the visitor's browser solves a puzzle. Challenged visitors solve a harder one, or the form's captcha. */
import type { Captcha, Diagnostics, Plugin, RouteContext, TokenUse } from '@form-relay/core/index';
import {
  boolean,
  feature,
  jsonAnswer,
  name,
  noTokenSecret,
  oneOf,
  optional,
  refused,
  type Schema,
  schemaLike,
} from '@form-relay/core/kit';
import { widgetIn } from '../captcha/widget.ts';
import { thresholdsOf } from '../score/marks.ts';
import { hardness } from './challenge.ts';
import { checkProof } from './check.ts';
import { challengeMarkup, guardMarkup } from './markup.ts';
import { UsedOnce } from './memory.ts';
import { puzzleExtras, puzzleFor } from './puzzle.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly proof: Proof;
  }
}

/** How a visitor's browser proves that it took some trouble. */
export interface Proof {
  readonly formToken: TokenUse;
  /** Whether all visitors solve a puzzle, and not only those who are challenged. */
  readonly isForAll: boolean;
  /** The hidden field with the solution. */
  readonly field: string;
  /** The token that carries the puzzle, which is the min-fill token where the form has one. */
  readonly tokenField: string;
  /** How long a solution counts. */
  readonly ttlMs: number;
  /** The task for challenged visitors. */
  readonly challenge: 'captcha' | 'proof_of_work';
  /** What becomes of a submission without a solution. */
  readonly withoutScript: 'allow' | 'challenge' | 'refuse';
  readonly captcha: Captcha | undefined;
}

const flag: Schema<boolean> = schemaLike(boolean(), (value, at) =>
  value === 'auto'
    ? at.error('auto was removed in 0.2.0, because the puzzle keeps no visitor waiting; write true')
    : boolean()(value, at),
);

const keys = {
  proof_of_work: optional(
    'Has the visitor’s browser solve a puzzle while the form is filled in. Needs FORM_TOKEN_SECRET in the environment.',
    flag,
  ),
  proof_field: optional('Name of the hidden field that carries the solution. Default: `altcha`.', name()),
  without_script: optional(
    'What becomes of a submission without a solution, as from a browser without JavaScript: `allow`, `challenge` (the form comes back with a question) or `refuse`. Default: `challenge`.',
    oneOf(['allow', 'challenge', 'refuse']),
  ),
  challenge: optional(
    'What `challenge` asks of the visitor: `proof_of_work`, a harder puzzle, which the browser solves alone; or `captcha`, that of the form, with `only_in_doubt: true`. Default: the captcha, where the form has such a one.',
    oneOf(['proof_of_work', 'captcha']),
  ),
};

const twoHoursMs = 7_200_000;

export const plugin = (): Plugin => {
  const used = new UsedOnce();

  const answerChallenge = ({ form, settings, services, request, respond }: RouteContext) => {
    const proof = form.provided.get('proof');
    if (form.provided.get('form_token') && settings.formTokenSecret === '') return respond(noTokenSecret);
    if (!proof) return respond(refused(404, 'unknown_page'));
    const asked = { formId: form.id, settings, services, request, now: services.now() };
    // A widget must always get a puzzle: if only challenged visitors solve one, it is as hard as theirs.
    const most = proof.isForAll ? hardness.usual : hardness.challenged;
    return jsonAnswer(200, puzzleFor(proof, asked, most) ?? {});
  };

  return {
    name: 'proof_of_work',
    features: [
      feature({
        name: 'proof',
        after: ['min_fill', 'captcha', 'origin'],
        before: ['form_token'],
        keys: { sharedSpam: keys },
        configure: ({ form, spam, topSpam, provided }, at) => {
          const guards = { ...topSpam, ...spam };
          const thresholds = thresholdsOf(spam, topSpam);
          const { proof_of_work: asked, without_script: withoutScript = 'challenge' } = guards;
          const mayDoubt = thresholds.some(({ action }) => action === 'challenge');
          const mayAsk = mayDoubt || provided.get('origin')?.unknown === 'challenge';
          if (!asked && !mayAsk) return undefined;
          const askedBy = asked ? 'proof_of_work' : mayDoubt ? 'doubt' : undefined;
          const path = askedBy ? ['spam', askedBy] : ['origins_unknown'];
          const isOwn = (askedBy ? spam : form)[askedBy ?? 'origins_unknown'] !== undefined;
          (isOwn ? at.in(...path) : at.fromTop(...path)).needsEnv('FORM_TOKEN_SECRET');
          const captcha = provided.get('captcha');
          if (mayAsk) checkCaptcha(spam.challenge, guards.challenge, captcha, at);
          const isForAll = asked === true;
          if (isForAll && withoutScript === 'allow' && thresholds.length === 0)
            at.in('spam', 'without_script').warning(
              'whoever sends no solution passes, and so do bots: the puzzle keeps nobody out; write without_script: challenge',
            );
          // What min-fill says of its token, where the form has a spam block of its own.
          const { token_field: own, form_ttl: ttl }: Readonly<Record<string, unknown>> = spam;
          const tokenField = typeof own === 'string' ? own : '_ts';
          const ttlMs = typeof ttl === 'number' ? ttl : twoHoursMs;
          const field = guards.proof_field ?? 'altcha';
          const formToken: TokenUse = {
            field: tokenField,
            ttlMs,
            extras: (request) => puzzleExtras(proof, request),
            renderMarkup: (view, token) =>
              challengeMarkup(
                proof,
                view,
                token,
                (isOnlyWay) => captcha && widgetIn(captcha, view, isOnlyWay),
              ),
          };
          const proof: Proof = {
            formToken,
            isForAll,
            field,
            tokenField,
            ttlMs,
            challenge: guards.challenge ?? (captcha?.onlyInDoubt ? 'captcha' : 'proof_of_work'),
            withoutScript,
            captcha,
          };
          return {
            provides: proof,
            ...(isForAll && {
              cards: [
                {
                  name: 'proof of work',
                  says: 'has the browser solve a puzzle first',
                  ...(withoutScript !== 'allow' && {
                    withoutBrowser: ', where nothing solves the puzzle, so that this one comes back',
                  }),
                },
              ],
            }),
            browsersOnly: true,
            reservedFields: [
              { name: field, what: 'the solution of the puzzle', key: ['spam', 'proof_field'] },
              // A form with a spam block of its own has reserved it (min_fill).
              ...(own === undefined
                ? [
                    {
                      name: tokenField,
                      what: 'the token that carries the puzzle',
                      key: ['spam', 'token_field'],
                    },
                  ]
                : []),
            ],
            beforeValidation: checkProof(proof, used),
            renderMarkup: (view) => guardMarkup(proof, view),
          };
        },
        routes: [{ name: 'challenge', method: 'GET', answer: answerChallenge }],
      }),
    ],
    messages: {
      en: {
        script_needed:
          'This form can only be sent with JavaScript. Please turn it on, and send the form once more.',
        challenge_proof:
          'Nothing was sent yet, as one more check is needed. Everything you typed is still here: please send the form once more.',
        challenge_captcha:
          'Nothing was sent yet, as one more check is needed. Everything you typed is still here: please solve the task below, and send the form once more.',
        challenge_question: 'Type the number {number}',
        challenge_why: 'It shows that you are a person, and not a program.',
        challenge_wrong: 'That was not the number. Please type the new one.',
        challenge_used:
          'This form was sent before. If you saw that it arrived, there is nothing left to do. If not, please send it once more.',
        challenge_other: 'If you cannot solve it, type a number instead.',
        proof_working: 'One moment, please: your browser is doing a short check…',
      },
    },
  };
};

/** Visitors who are to solve a captcha must be shown it, and not have solved it already. */
function checkCaptcha(
  own: 'captcha' | 'proof_of_work' | undefined,
  challenge: 'captcha' | 'proof_of_work' | undefined,
  captcha: Captcha | undefined,
  at: Diagnostics,
): void {
  const isMeant = challenge === 'captcha' || (challenge === undefined && captcha?.onlyInDoubt);
  if (!isMeant || (captcha?.onlyInDoubt && captcha.siteKey !== undefined)) return;
  const place = own === undefined && captcha ? at.in('captcha', 'only_in_doubt') : at.in('spam', 'challenge');
  if (!captcha) place.error('the form has no captcha to ask for; give it one with only_in_doubt: true');
  else if (!captcha.onlyInDoubt)
    place.error('everybody is asked for the captcha already; write only_in_doubt: true beside its provider');
  else place.error('whoever is asked for the captcha must see it; write its site_key');
}
