/** The code that an address was mailed: sealed in the form, and the input into which its visitor types it. */
import { randomInt } from 'node:crypto';
import { attributes, html } from '@form-relay/base/html';
import { parseJson } from '@form-relay/base/json';
import { seal, unseal } from '@form-relay/base/seal';
import { firstValue } from '@form-relay/base/values';
import { fieldElementId, partId, withOwn } from '@form-relay/core/html/element_ids';
import type { FormMarkup, FormView, Html, Outcome, Submission, Values } from '@form-relay/core/index';

/** The input for the code. */
export const codeField = '_code';
/** The hidden input with the sealed code. */
export const tokenField = '_code_token';

export interface Code {
  readonly digits: string;
  /** The address that it was mailed to, as it was typed. */
  readonly address: string;
  /** In milliseconds since the epoch. */
  readonly until: number;
  /** 0: it was mailed to nobody, and opens nothing. Both are of one length, so that bots cannot tell. */
  readonly mailed: 0 | 1;
}

const lifeMs = 1_800_000;

export const addressIn = (values: Values, field: string): string => firstValue(values, field).trim();

export const newCode = (
  values: Values,
  field: string,
  { services }: Pick<Submission, 'services'>,
  mailed: Code['mailed'] = 1,
): Code => ({
  digits: String(randomInt(1_000_000)).padStart(6, '0'),
  address: addressIn(values, field),
  until: services.now() + lifeMs,
  mailed,
});

const use = 'verify';

/** The token of a form that holds the code. */
export const sealed = (code: Code, { settings, formId, services }: Submission): string =>
  seal(settings.formTokenSecret, use, formId, Buffer.from(JSON.stringify(code)), services.uuid());

/** The code in a token of this form for this address, even if it has expired. */
export function openCode(secret: string, formId: string, token: string, address: string): Code | undefined {
  const content = unseal(secret, use, formId, token);
  const code = content && (parseJson(Buffer.from(content).toString()) as Code);
  return code?.address === address ? code : undefined;
}

/** The form comes back with an input for the code. */
export interface Asking extends Outcome {
  /** Empty: the next submission gets a new code. */
  readonly codeToken: string;
}

export const asking = (code: string, codeToken: string): Asking => ({
  kind: 'unverified',
  status: 422,
  message: { code },
  showsForm: true,
  isQuestion: code === 'code_sent',
  by: 'verify',
  codeToken,
  json: { verify: { field: codeField, token: { name: tokenField, value: codeToken } } },
});

const isAsking = (outcome: Outcome | undefined): outcome is Asking =>
  outcome !== undefined && 'codeToken' in outcome;

/**
 * Below the line that says why, above the button. A page's script gets the input beforehand, and shows it once a code
 * is needed.
 */
export function codeMarkup(field: string, view: FormView): FormMarkup {
  const { medium, form, outcome, sent, settings, now = 0 } = view;
  // The script shows the input once a code is needed.
  const part = medium && 'verify';
  const hidden = medium ? { part, challenge: codeInput(view, undefined, {}) } : {};
  if (!sent || !settings) return hidden;
  const token = isAsking(outcome) ? outcome.codeToken : firstValue(sent, tokenField);
  const code = openCode(settings.formTokenSecret, form.id, token, addressIn(sent, field));
  if (!code || now > code.until) return hidden;
  const value = isAsking(outcome) ? undefined : firstValue(sent, codeField) || undefined;
  const isWrong = outcome?.message?.code === 'code_wrong';
  return { part, challenge: codeInput(view, token, { value, 'aria-invalid': isWrong && 'true' }) };
}

/** @param token `undefined`: no code is needed yet. */
function codeInput(
  { form, locale, classes }: FormView,
  token: string | undefined,
  more: Parameters<typeof attributes>[0],
): Html {
  const { translate } = locale;
  const id = fieldElementId(form, codeField);
  const helpId = partId(id, 'help');
  const disabled = token === undefined;
  const frame = { class: withOwn('field', classes?.field), 'data-form-code': true, hidden: disabled };
  const input = {
    type: 'text',
    id,
    class: classes?.input,
    name: codeField,
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    disabled,
    'aria-describedby': helpId,
  };
  return html`<div${attributes(frame)}>
<input${attributes({ type: 'hidden', name: tokenField, value: token, disabled })}>
<label${attributes({ for: id, class: classes?.label })}>${translate({ code: 'code_label' })}</label>
<p${attributes({ class: withOwn('field-help', classes?.help), id: helpId })}>${translate({ code: 'code_help' })}</p>
<input${attributes(input)}${attributes(more)}>
</div>
`;
}
