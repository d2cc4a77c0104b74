/** The code that was mailed to an address: encrypted in the form, and the input into which the visitor types it. */
import { randomInt } from 'node:crypto';
import { attributes, html } from '@form-relay/base/html';
import { parseJson } from '@form-relay/base/json';
import { seal, unseal } from '@form-relay/base/seal';
import { digitsIn } from '@form-relay/base/unicode';
import { firstValue } from '@form-relay/base/values';
import { fieldElementId, partId, withOwn } from '@form-relay/core/html/element_ids';
import type { FormMarkup, FormView, Outcome, Submission, Values } from '@form-relay/core/index';

/** The name of the input for the code. */
export const codeField = '_code';
/** The name of the button that mails the code again. */
export const againField = '_code_again';
/** The name of the hidden input with the encrypted code. */
export const tokenField = '_code_token';

export interface Code {
  readonly digits: string;
  /** The address that the code was mailed to, as the visitor typed it. */
  readonly address: string;
  /** In milliseconds since the epoch. */
  readonly until: number;
  /** 0: the code was not mailed, and never matches. Both values have the same length, so that bots cannot tell them apart. */
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

/** The token that holds the code in a form. */
export const sealed = (code: Code, { settings, formId, services }: Submission): string =>
  seal(settings.formTokenSecret, use, formId, Buffer.from(JSON.stringify(code)), services.uuid());

/** The code in a token of this form for this address, even if it has expired. */
export function openCode(secret: string, formId: string, token: string, address: string): Code | undefined {
  const content = unseal(secret, use, formId, token);
  const code = content && (parseJson(Buffer.from(content).toString()) as Code);
  return code?.address === address ? code : undefined;
}

/** The digits that the visitor typed; empty if the code should be mailed again. */
export function typedCode(sent: Values): string {
  const given = firstValue(sent, againField) === '' ? firstValue(sent, codeField).trim() : '';
  return digitsIn(given) || given;
}

/** The form is shown again with an input for the code. */
export interface Asking extends Outcome {
  /** Empty: the next submission gets a new code. */
  readonly codeToken: string;
}

export const asking = (code: string, codeToken: string, address: string): Asking => ({
  kind: 'unverified',
  status: 422,
  message: { code, params: { address: masked(address) } },
  showsForm: true,
  isQuestion: code === 'code_sent',
  by: 'verify',
  codeToken,
  json: { verify: { field: codeField, token: { name: tokenField, value: codeToken } } },
});

const isAsking = (outcome: Outcome | undefined): outcome is Asking =>
  outcome !== undefined && 'codeToken' in outcome;

/** How many seconds a page's script waits before it offers another mail. */
const againAfterS = 60;

/** `a•••@example.com`: the address's owner recognises it, but an onlooker cannot read it. */
const masked = (address: string): string => address.replace(/^(.).*(?=@)/su, '$1•••');

const wrongCodes = ['code_wrong', 'code_renewed'];

/** Removes the messages above the button, which are for errors about the whole form, because the step has its own text. */
export const withoutMessages = (view: FormView): FormView =>
  isAsking(view.outcome) && view.outcome.codeToken !== '' ? { ...view, messages: [] } : view;

/** For a page's script, the form always includes the step, which the script shows when a code is required. */
export function codeMarkup(field: string, view: FormView): FormMarkup {
  const { medium, form, outcome, sent, settings, now = 0 } = view;
  const token = isAsking(outcome) ? outcome.codeToken : firstValue(sent ?? new Map(), tokenField);
  const code = sent && settings && openCode(settings.formTokenSecret, form.id, token, addressIn(sent, field));
  if (code && now <= code.until) {
    const wrong = wrongCodes.find((one) => isAsking(outcome) && outcome.message?.code === one);
    const value = isAsking(outcome) ? undefined : firstValue(sent, codeField) || undefined;
    return { part: 'verify', ...codeStep(view, { token, address: masked(code.address), value, wrong }) };
  }
  return medium ? { part: 'verify', ...codeStep(view, {}) } : {};
}

interface CodeStep {
  /** `undefined`: no code is required yet. */
  readonly token?: string;
  readonly address?: string;
  readonly value?: string | undefined;
  /** The code of the error at the input. */
  readonly wrong?: string | undefined;
}

function codeStep(
  { form, locale, classes, outcome }: FormView,
  { token, address = '', value, wrong }: CodeStep,
): FormMarkup {
  const say = (code: string) => locale.translate({ code, params: { address } });
  const id = fieldElementId(form, codeField);
  const [titleId, sentId, helpId, errorId] = ['title', 'sent', 'help', 'error'].map((part) =>
    partId(id, part),
  );
  const disabled = token === undefined;
  const frame = {
    class: withOwn('field form-code', classes?.field),
    role: 'group',
    'aria-labelledby': titleId,
  };
  const described = [sentId, helpId, wrong && errorId].filter(Boolean).join(' ');
  const input = {
    type: 'text',
    id,
    class: classes?.input,
    name: codeField,
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    disabled,
    'aria-describedby': described,
    value,
    'aria-invalid': wrong && 'true',
    autofocus: isAsking(outcome),
  };
  const again = {
    ...{ type: 'submit', name: againField, value: '1', formnovalidate: true, disabled },
    class: withOwn('field-button', classes?.back ?? classes?.button),
  };
  const help = { class: withOwn('field-help', classes?.help), id: helpId };
  return {
    challenge: html`<div${attributes({ ...frame, 'data-form-code': true, hidden: disabled })}>
<input${attributes({ type: 'hidden', name: tokenField, value: token, disabled })}>
<p class="form-code-title" id="${titleId}">${say('code_title')}</p>
<p class="form-code-sent" id="${sentId}">${!disabled && wrong !== 'code_renewed' && say('code_sent')}</p>
<label${attributes({ for: id, class: classes?.label })}>${say('code_label')}</label>
<p${attributes(help)}>${say('code_help')}</p>
${wrong && html`<p${attributes({ class: withOwn('field-error', classes?.error), id: errorId })}>${say(wrong)}</p>\n`}<input${attributes(input)}>
</div>
`,
    // Placed below the submit button, so that the Enter key still presses the submit button.
    after: html`<p${attributes({ class: 'form-code-again', 'data-wait-s': againAfterS, 'data-ready': say('code_again_now'), hidden: disabled })}><button${attributes(again)}>${say('code_again')}</button></p>
`,
  };
}
