import type { Control } from '../check/form_controls.ts';
import type { Destination } from './services.ts';

/** Names of hidden fields that configure a service; the first that is present counts. */
const redirects = ['_next', '_redirect', 'redirect', '_after', 'redirectto', 'redirect_to', 'returl'];
const subjects = ['_subject', 'subject', '_email.subject'];
const replies = ['_replyto', 'replyto', '_reply_to', 'reply_to'];
const copies = ['_cc', 'ccemail', 'cc', '_bcc'];

/** Fields without a counterpart in the config, with the alternative if there is one. */
const others: Readonly<Record<string, string>> = {
  'form-name': '',
  access_key: '',
  accesskey: '',
  apikey: '',
  from_name: '',
  _captcha: 'spam and captcha in the config decide that',
  _template: '',
  _format: '',
  _language: '',
  _url: '',
  _blacklist: '',
  _charset_: '',
  _confirmation: 'confirmation in the config is what visitors read',
  _autoresponse: 'confirmation_mail in the config says what visitors get',
  _autoresponder: 'confirmation_mail in the config says what visitors get',
  _webhook: 'an output of type http_post sends there, too',
  webhook: 'an output of type http_post sends there, too',
};

/** Tokens by which a server knows its own forms. */
const serverTokens =
  /^(csrf|xsrf|csrf[-_]?token|xsrf[-_]?token|csrfmiddlewaretoken|authenticity_token|_token|_csrf(_token)?|__requestverificationtoken|__viewstate\w*|__eventvalidation|_wpnonce|_wp_http_referer|_wpcf7\w*|form_build_id|utf8)$/;

const captchaTokens = /^(g-recaptcha-response|recaptcha_response|h-captcha-response|cf-turnstile-response)$/;

export interface SpecialFields {
  readonly redirect: string | undefined;
  readonly subject?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly copyTo?: string | undefined;
  /** Hidden fields that are no data, and what they are. */
  readonly leftOut: ReadonlyMap<Control, string>;
}

/** Takes what is meant for a service from what visitors send. Only hidden fields: what is in view is asked for. */
export function specialFields(
  controls: readonly Control[],
  { service, forwardTo }: Destination,
): SpecialFields {
  const hidden = controls.filter(({ kind, name }) => kind === 'hidden' && name !== '');
  const valueNamed = (names: readonly string[]) =>
    names
      .flatMap((known) => hidden.filter(({ name }) => name.toLowerCase() === known))
      .map(({ element }) => element.attributes.get('value')?.trim() ?? '')
      .find((value) => value !== '');
  const leftOut = hidden.flatMap((control) => {
    const why = forwardTo ? reasonToForward(control.name) : reason(control.name, service);
    return why === undefined ? [] : [[control, why] as const];
  });
  return {
    redirect: valueNamed(redirects),
    ...(forwardTo
      ? {}
      : { subject: valueNamed(subjects), replyTo: valueNamed(replies), copyTo: valueNamed(copies) }),
    leftOut: new Map([...leftOut, ...captchaAnswers(controls)]),
  };
}

/** Widgets add these; some pages write them out. */
const captchaAnswers = (controls: readonly Control[]) =>
  controls
    .filter(({ name }) => captchaTokens.test(name))
    .map((control) => [control, "is a captcha's answer, which its widget adds"] as const);

/** The address that took the form goes on taking it, and may need all but this. */
const reasonToForward = (name: string): string | undefined =>
  redirects.includes(name.toLowerCase()) ? 'said where to go on; redirect says it here' : undefined;

/** `undefined` for a field like any other. */
function reason(written: string, service: string | undefined): string | undefined {
  const name = written.toLowerCase();
  const whose = service === undefined ? 'was for a form service' : `was for ${service}`;
  if (redirects.includes(name)) return `${whose}; redirect says it here`;
  if (subjects.includes(name)) return `${whose}; the output's subject says it here`;
  if (replies.includes(name)) return `${whose}; the output's reply_to says it here`;
  if (copies.includes(name)) return `${whose}; the output's to says it here`;
  if (serverTokens.test(name)) return 'is a token of the server that took the form so far';
  const advice = Object.hasOwn(others, name) ? others[name] : undefined;
  if (advice !== undefined) return advice === '' ? whose : `${whose}; ${advice}`;
  return service !== undefined && name.startsWith('_') ? whose : undefined;
}
