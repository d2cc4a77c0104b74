import type { Threshold } from '../../base/doubt.ts';
import type { ProofEvidence } from '../../base/event.ts';
import { late, lateFunction } from '../../base/late.ts';
import type { AnySchema, Schema } from '../../schema/any_schema.ts';
import { type Finding, finding } from '../../schema/finding.ts';
import { optional } from '../../schema/keys.ts';
import { choice, flag, flagMeantBy, isMap, isWrittenTrue, name, oneOf } from '../../schema/kinds.ts';
import { captcha } from '../captcha/captcha.ts';
import { explainCaptcha } from '../captcha/explain_captcha.ts';
import type { Captcha } from '../captcha/provider.ts';
import { doubtDoes, feature, type ReservedName, type WrittenForm } from '../feature.ts';
import { minFillKeys } from '../min_fill.ts';
import { originsAsked } from '../origins.ts';
import type { Proof } from './examine.ts';

export type { Proof } from './examine.ts';

const always: Schema<boolean | 'auto'> = flag();
const auto: Schema<boolean | 'auto'> = choice(['auto']);
/** For all but flags: what it says of a wrong word names all three. */
const autoAmongAll = choice(['true', 'false', 'auto']) as AnySchema as Schema<'auto'>;

const proofKeys = {
  proof_of_work: optional(
    'Has the visitor’s browser solve a puzzle while the form is filled in: always (`true`), or where a form or a client is under attack (`auto`). Needs FORM_TOKEN_SECRET in the environment.',
    oneOf([always, auto], (input) => (flagMeantBy(String(input)) ? always : autoAmongAll)),
  ),
  proof_field: optional('Name of the hidden field that carries the solution. Default: `altcha`.', name()),
  without_script: optional(
    'What becomes of a submission without a solution, as from a browser without JavaScript: `allow`, `challenge` (the form comes back with a question) or `refuse`. Default: `challenge`.',
    choice(['allow', 'challenge', 'refuse']),
  ),
};

export const challengeKeys = {
  challenge: optional(
    'What `challenge` asks of the visitor: `proof_of_work`, a harder puzzle, which the browser solves alone; or `captcha`, that of the form, with `only_in_doubt: true`. Default: the captcha, where the form has such a one.',
    choice(['proof_of_work', 'captcha']),
  ),
};

export interface Guards {
  readonly proof_of_work?: boolean | 'auto';
  readonly proof_field?: string;
  readonly without_script?: Proof['withoutScript'];
  readonly challenge?: Proof['challenge'];
  readonly doubt?: readonly Threshold[];
}

export interface Keys {
  readonly origins_unknown?: 'allow' | 'challenge' | 'refuse';
  readonly origins?: Parameters<typeof originsAsked>[0]['origins'];
}

export interface FormKeys extends Keys {
  readonly spam?: Guards & { readonly form_ttl: number; readonly token_field: string };
  readonly captcha?: Captcha;
}

/** The name of the field where no `spam` says it. */
const defaultField = 'altcha';

/** As `form_ttl` where no `spam` says it. */
const twoHoursMs = 7_200_000;

const examineProof = lateFunction(late(async () => (await import('./examine.ts')).examineProof));

/** Something must be able to ask for it. */
export const proof = feature({
  name: 'proof',
  isForBrowsers: true,
  keys: { spamAndTop: proofKeys },
  check: { key: 'spam.proof_of_work' },
  settings: ({ form, top, guards }: AskedOfProof): Proof | undefined => {
    const { proof_of_work: asked, without_script: withoutScript = 'challenge', challenge } = guards;
    const { spam, captcha, origins_unknown: unknown } = form;
    const mayDoubt = guards.doubt?.some(({ action }) => action === 'challenge');
    const mayAsk = mayDoubt || originsAsked(form, top)?.unknown === 'challenge';
    if (!asked && !mayAsk) return undefined;
    const key = asked ? 'proof_of_work' : mayDoubt ? 'doubt' : undefined;
    const isOwn = (key ? spam?.[key] : unknown) !== undefined;
    return {
      askedBy: { key: key ? ['spam', key] : ['origins_unknown'], isAtTop: !isOwn },
      when: asked === 'auto' ? 'auto' : asked ? 'always' : 'asked',
      field: guards.proof_field ?? defaultField,
      tokenField: spam?.token_field ?? minFillKeys.token_field.default,
      ttlMs: spam?.form_ttl ?? twoHoursMs,
      challenge: challenge ?? (captcha?.onlyInDoubt ? 'captcha' : 'proof_of_work'),
      withoutScript,
    };
  },
  names: ({ tokenField, field }) => [tokenField, field],
  reserves: (written) => {
    const { all, challenged } = asksIn(written);
    if (!all && !challenged) return [];
    const { proof_field: name = defaultField } = written.spam;
    const reserved: ReservedName[] = [];
    if (typeof name === 'string') reserved.push({ path: ['spam', 'proof_field'], name, check: 'proof' });
    // A form with a spam block of its own has reserved it (min_fill.ts).
    if (Object.keys(written.ownSpam).length === 0)
      reserved.push({ path: ['spam', 'token_field'], name: minFillKeys.token_field.default, check: 'token' });
    return reserved;
  },
  problems: challengeProblems,
  needs: ({ askedBy: { key, isAtTop } }) => [{ name: 'FORM_TOKEN_SECRET', path: key, isAtTop }],
  warnings: ({ when, withoutScript }, { features }) =>
    when !== 'asked' && withoutScript === 'allow' && !features.has('doubt')
      ? [finding('proof_of_nobody', ['spam', 'without_script'])]
      : [],
  stages: (asked, features) => {
    const provider = asked.challenge === 'captcha' ? captcha.in(features) : undefined;
    return { check: (passage) => examineProof(asked, provider, passage) };
  },
  explain: ({ code, captcha }: ProofEvidence) => (captcha ? explainCaptcha(captcha) : words[code]),
});

/** Whether everybody may be asked for a proof, or those who are challenged. */
function asksIn({ form, top, spam }: WrittenForm) {
  const origins = 'origins' in form ? form.origins : top.origins;
  const unknown = form.origins_unknown ?? top.origins_unknown;
  return {
    all: /^(true|auto)$/i.test(String(spam.proof_of_work)),
    challenged: doubtDoes(spam.doubt, 'challenge') || (Array.isArray(origins) && unknown === 'challenge'),
  };
}

/** Visitors who are to solve a captcha must be shown it, and not have solved it already. */
function challengeProblems(written: WrittenForm): readonly Finding[] {
  const { ownSpam, spam, form } = written;
  const captcha = isMap(form.captcha) ? form.captcha : undefined;
  const inDoubtOnly = isWrittenTrue(captcha?.only_in_doubt);
  const isMeant = spam.challenge === 'captcha' || (spam.challenge === undefined && inDoubtOnly);
  if (!isMeant || !asksIn(written).challenged) return [];
  const lacks = !captcha ? 'captcha' : !inDoubtOnly ? 'only_in_doubt' : 'site_key';
  if (lacks === 'site_key' && captcha?.site_key !== undefined) return [];
  const path =
    ownSpam.challenge === undefined && captcha ? ['captcha', 'only_in_doubt'] : ['spam', 'challenge'];
  return [finding('challenge_without_captcha', path, { lacks })];
}

export interface AskedOfProof {
  readonly form: FormKeys;
  readonly top: Keys;
  readonly guards: Guards;
}

const words: Readonly<Record<ProofEvidence['code'], string>> = {
  solved: 'the puzzle is solved',
  answered: 'the question is answered',
  not_needed: 'no puzzle is asked for',
  without_script: 'there is no solution, which the form takes (without_script: allow)',
  missing: 'there is no solution: it was sent without the form’s script',
  malformed: 'what stands in the place of the solution is none',
  forged: 'the puzzle was not made by this relay with this FORM_TOKEN_SECRET',
  wrong: 'the solution is wrong',
  other_form: 'the solution is for another form',
  expired: 'the solution is too old (form_ttl)',
  used: 'the solution was sent before',
  too_easy: 'the solution is for an easier puzzle than the one asked for',
  no_secret: 'FORM_TOKEN_SECRET is not set',
  captcha_solved: 'the captcha is solved',
  captcha_failed: 'the captcha is not solved',
};
