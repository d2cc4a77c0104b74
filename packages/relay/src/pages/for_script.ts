/** What a form holds for the browser script (views/element), which reads it from `data-` attributes. */

import { attributes, type Html, html } from '../base/html.ts';
import { maxBodyBytes } from '../base/http.ts';
import { behaviour } from '../features/behaviour.ts';
import { captcha } from '../features/captcha/captcha.ts';
import { minFill } from '../features/min_fill.ts';
import { page } from '../features/page.ts';
import { proof } from '../features/proof/proof.ts';
import type { Form } from '../form.ts';
import type { MessageCode } from '../messages/message.ts';
import { hasLinks, withLinks, withoutLinks } from '../schema/linked_text.ts';
import type { ChallengeShown } from './challenge_view.ts';
import { challengeAttributes } from './fragments.ts';
import type { Medium } from './medium.ts';

/** What the script says, by the name of the attribute: the code of a problem where it has other words for that. */
const spoken = {
  sending: 'sending',
  'not-sent': 'not_sent',
  'not-sent-yet': 'not_sent_yet',
  'not-ready': 'not_ready',
  'summary-title': 'summary_title',
  'field-error': 'field_error',
  'form-expired': 'form_ready_again',
  throttled: 'slow_down_page',
  undelivered: 'not_delivered_page',
} as const satisfies Readonly<Record<string, MessageCode>>;

const spokenInSteps = { ...spoken, 'step-of': 'step_of', next: 'next', back: 'back' } as const;

/** What is said where files are chosen and sent. */
const spokenOfFiles = {
  'file-drop': 'file_drop',
  'file-remove': 'file_remove',
  'file-sending': 'file_sending',
  'files-too-large': 'files_too_large',
} as const satisfies Readonly<Record<string, MessageCode>>;

/** Of files, too: problems that have other words where the form stays as it is. */
const spokenWithFiles = {
  uploads_busy: 'slow_down_page',
  body_over_limit: 'files_too_large',
} as const satisfies Readonly<Record<string, MessageCode>>;

/** Whether its visitors choose files. */
export const takesFiles = ({ fields }: Form): boolean => fields.some(({ takeFiles }) => takeFiles);

/** What views/files needs, in every form that a script sends. */
export const fileAttributes = (form: Form): Html =>
  html`${attributes({ 'data-files-limit': filesLimit(form) })}${texts(form, spokenOfFiles)}`;

/** How many bytes of files can be sent at once, with some left for everything else. */
const filesLimit = ({ bodyLimit }: Form) => bodyLimit - Math.min(maxBodyBytes, Math.ceil(bodyLimit / 10));

/** Where the browser works, or the visitor may choose another way. */
const spokenByGuard = { 'proof-working': 'proof_working' } as const satisfies Readonly<
  Record<string, MessageCode>
>;

/**
 * Whether it needs views/guard, which proves and counts. Where only those are asked who are doubted, nobody else loads it;
 * but a script sends the same form again that it sent before.
 */
export const isGuarded = (form: Form, medium: Medium, asks?: ChallengeShown['asks']): boolean => {
  const when = proof.of(form)?.when;
  return (
    behaviour.of(form) === true ||
    (when !== undefined && (when !== 'asked' || medium === 'script' || asks === 'proof_of_work'))
  );
};

/** What views/guard needs. */
export function guardAttributes(form: Form): Html {
  const asked = proof.of(form);
  // On its own page, the relay asks for something else beside a captcha.
  const hasOtherWay = captcha.of(form)?.onlyInDoubt && asked?.withoutScript !== 'refuse';
  const spoken = { ...spokenByGuard, ...(hasOtherWay && { 'challenge-other': 'challenge_other' as const }) };
  const guard = {
    'data-guard': behaviour.of(form) ? 'behaviour' : 'proof',
    'data-challenge-field': hasOtherWay && asked?.field,
  };
  return html`${attributes(guard)}${texts(form, spoken)}`;
}

function texts(form: Form, codes: Readonly<Record<string, MessageCode>>): readonly Html[] {
  const params = { ...forScript, size: { bytes: filesLimit(form) } };
  return Object.entries(codes).map(
    ([name, code]) => html`\n${attributes({ [`data-${name}`]: form.say({ code, params }) })}`,
  );
}

/** It sends the form from another origin too, and shows and hides fields without asking the relay. */
export function scriptAttributes(form: Form): Html {
  const { error, errors, invalid, confirmation, summary, progress, back } = form.classes ?? {};
  const classes = attributes({
    'data-error-class': error,
    'data-errors-class': errors,
    'data-summary-class': summary,
    'data-invalid-class': invalid,
    'data-confirmation-class': confirmation,
    ...(form.steps.length > 0 && {
      'data-progress-class': progress,
      'data-back-class': back,
      'data-forget': forgotten(form),
    }),
  });
  const forFiles = takesFiles(form) && html`${fileAttributes(form)}${texts(form, spokenWithFiles)}`;
  return html`${attributes({ 'data-when': conditions(form), 'data-page': page.of(form) && 'true' })}${ownersWords(form)}${classes}${texts(form, form.steps.length > 0 ? spokenInSteps : spoken)}${forFiles}`;
}

/** What the owner says where sending fails: no answer brings it if the relay is down. */
const ownersWords = ({ failureMessage: words }: Form): Html | undefined =>
  words === undefined
    ? undefined
    : attributes({
        'data-failure-message': withoutLinks(words),
        'data-failure-message-html': hasLinks(words) && withLinks(words).toString(),
      });

/** The fields of which the browser keeps nothing over a reload. */
function forgotten({ fields }: Form): string | undefined {
  const names = fields
    .filter(({ remember, autocomplete }) => !remember || autocomplete?.trim().toLowerCase() === 'off')
    .map(({ name }) => name);
  return names.length > 0 ? JSON.stringify(names) : undefined;
}

/** The script fills them in. */
const forScript = {
  field: '{field}',
  error: '{error}',
  step: '{step}',
  steps: '{steps}',
  name: '{name}',
  percent: '{percent}',
};

/** A list for each field that comes and goes: its name, whether the browser demands it, the field that decides, how, by what. */
function conditions({ fields }: Form): string | undefined {
  const rules = fields.flatMap(({ name, required, layout, visible_when: when }) =>
    when ? [[name, required && layout !== 'group' ? 1 : 0, when.field, when.test, ...when.values]] : [],
  );
  return rules.length > 0 ? JSON.stringify(rules) : undefined;
}

/** The min-fill token, or its place in a page that is built once: the script fetches it. */
export function tokenInput(form: Form, token: TokenShown | undefined): Html | undefined {
  const timed = minFill.of(form);
  const asked = proof.of(form);
  const name = timed?.tokenField ?? asked?.tokenField;
  if (name === undefined) return undefined;
  return html`<input${attributes({
    type: 'hidden',
    name,
    value: token?.value,
    'data-min-fill-ms': timed?.minFillMs ?? 0,
    'data-ttl-ms': timed?.ttlMs ?? asked?.ttlMs,
    ...(token && challengeAttributes(form, token)),
  })}>`;
}

interface TokenShown {
  readonly value: string;
  readonly challenge?: object | undefined;
}
