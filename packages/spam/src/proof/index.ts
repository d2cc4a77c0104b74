/** `spam.proof_of_work`: the visitor's browser solves a puzzle. Challenged visitors solve a harder one, or the form's captcha. */
import type { Captcha, Diagnostics, Plugin, RouteContext, TokenUse } from '@form-relay/core/index';
import {
  boolean,
  booleanMeantBy,
  feature,
  jsonAnswer,
  name,
  noTokenSecret,
  oneOf,
  optional,
  refused,
  type Schema,
  schema,
} from '@form-relay/core/kit';
import { widgetIn } from '../captcha/widget.ts';
import { thresholdsOf } from '../score/marks.ts';
import { hardness } from './challenge.ts';
import { checkProof } from './check.ts';
import { challengeMarkup, guardMarkup } from './markup.ts';
import { Pressure, type ProofMemory, UsedOnce } from './memory.ts';
import { puzzleExtras, puzzleFor } from './puzzle.ts';

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly proof: Proof;
  }
}

/** How a visitor's browser proves that it took some trouble. */
export interface Proof {
  readonly formToken: TokenUse;
  /** `asked`: only of those who are challenged. */
  readonly when: 'always' | 'auto' | 'asked';
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

const allOfThem = oneOf(['true', 'false', 'auto']);

const trueFalseOrAuto: Schema<boolean | 'auto'> = schema(
  () => ({ enum: [true, false, 'auto'] }),
  (value, at) => {
    if (booleanMeantBy(String(value))) return boolean()(value, at);
    return allOfThem(value, at) === 'auto' ? 'auto' : undefined;
  },
);

const keys = {
  proof_of_work: optional(
    'Has the visitor’s browser solve a puzzle while the form is filled in: always (`true`), or where a form or a client is under attack (`auto`). Needs FORM_TOKEN_SECRET in the environment.',
    trueFalseOrAuto,
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
  const memory: ProofMemory = { used: new UsedOnce(), pressure: new Pressure() };

  const answerChallenge = ({ form, settings, services, request, respond }: RouteContext) => {
    const proof = form.provided.get('proof');
    if (form.provided.get('form_token') && settings.formTokenSecret === '') return respond(noTokenSecret);
    if (!proof) return respond(refused(404, 'unknown_page'));
    const asked = { formId: form.id, settings, services, request, now: services.now() };
    // A widget must always get a puzzle: if the form asks for nothing just now, it costs nothing; if only challenged visitors
    // solve one, it is as hard as theirs.
    const least = proof.when === 'asked' ? hardness.challenged : hardness.least;
    const puzzle = puzzleFor(proof, asked, memory) ?? puzzleFor(proof, asked, memory, least);
    return jsonAnswer(200, puzzle ?? {});
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
          const when = asked === 'auto' ? 'auto' : asked ? 'always' : 'asked';
          if (when !== 'asked' && withoutScript === 'allow' && thresholds.length === 0)
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
            extras: (request) => puzzleExtras(proof, request, memory),
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
            when,
            field,
            tokenField,
            ttlMs,
            challenge: guards.challenge ?? (captcha?.onlyInDoubt ? 'captcha' : 'proof_of_work'),
            withoutScript,
            captcha,
          };
          return {
            provides: proof,
            ...(when !== 'asked' && {
              cards: [
                {
                  name: 'proof of work',
                  says: `${when === 'auto' ? 'under attack, ' : ''}has the browser solve a puzzle first`,
                  ...(when === 'always' &&
                    withoutScript !== 'allow' && {
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
            beforeValidation: checkProof(proof, memory),
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
