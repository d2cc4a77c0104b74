import { type Control, quote, quoteAll } from '../check/page_form.ts';
import { type Destination, isAddress, type MovedRedirect, redirectTo } from './addresses.ts';
import { note, type Remark, toDo, when } from './config_text.ts';

/** Names of hidden fields that configure a service. The first with a value counts. */
const redirects = ['_next', '_redirect', 'redirect', '_after', 'redirectto', 'redirect_to', 'returl'];
const subjects = ['_subject', 'subject', '_email.subject'];
const replies = ['_replyto', 'replyto', '_reply_to', 'reply_to'];
const copies = { cc: ['_cc', 'ccemail', 'cc'], bcc: ['_bcc', 'bccemail', 'bcc'] };
const special = [...redirects, ...subjects, ...replies, ...copies.cc, ...copies.bcc];

/** Describes what a service does with a field, and how the config does the same. `VALUE` stands for the field's value. */
const tasks: Readonly<Record<string, string>> = {
  _confirmation: 'visitors saw VALUE afterwards: write your text as confirmation',
  _autoresponse: 'visitors got a mail with the text VALUE: add confirmation_mail to send one',
  _autoresponder: 'visitors got a mail with the text VALUE: add confirmation_mail to send one',
  _webhook: 'submissions also went to VALUE: add an output of type http_post with that url',
  webhook: 'submissions also went to VALUE: add an output of type http_post with that url',
  _blacklist: 'messages with VALUE were dropped: use spam signals',
};

/** Fields that only services use. */
const meaningless =
  /^(form-name|access_key|accesskey|apikey|from_name|_captcha|_template|_format|_language|_url|_charset_)$/;

const captchaTokens = /^(g-recaptcha-response|recaptcha_response|h-captcha-response|cf-turnstile-response)$/;

export interface SpecialFields {
  readonly redirect: MovedRedirect | undefined;
  readonly subject?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  /** Hidden fields without data, and how each was handled. */
  readonly leftOut: ReadonlyMap<Control, Remark>;
  /** Settings in the form's URL, other than the recipient, for which the config has no key. */
  readonly remarks: readonly Remark[];
}

/**
 * Separates fields that configure a service from fields with data. Looks only at hidden fields, because
 * visible ones are questions to visitors.
 */
export function specialFields(
  controls: readonly Control[],
  destination: Destination,
  site: string | undefined,
): SpecialFields {
  const { service, forwardTo, rest } = destination;
  const hidden = controls.filter(({ kind, name }) => kind === 'hidden' && name !== '');
  const named = (names: readonly string[]) =>
    names.flatMap((known) => hidden.filter(({ name }) => name.toLowerCase() === known));
  const firstOf = (names: readonly string[]) => named(names).find((control) => givenIn(control) !== '');

  const redirect = firstOf(redirects);
  const moved = redirect && redirectTo(givenIn(redirect), site);
  const subject = forwardTo ? undefined : firstOf(subjects);
  const reply = forwardTo ? undefined : named(replies).find((control) => isAddress(givenIn(control)));
  const copied = (key: keyof typeof copies) => {
    const lists = forwardTo ? [] : named(copies[key]).map(givenIn);
    return [...new Set(lists.flatMap(addressesOf).filter(isAddress))];
  };

  const says = new Map<Control, string>();
  if (redirect) says.set(redirect, ledTo(givenIn(redirect), moved));
  if (subject) says.set(subject, "the output's subject now has its value");
  if (reply) says.set(reply, "the output's reply_to now has its value");
  const lost = new Map<Control, string>();
  for (const [key, names] of Object.entries(copies))
    for (const control of forwardTo ? [] : named(names)) {
      const odd = addressesOf(givenIn(control)).filter((one) => !isAddress(one));
      if (givenIn(control).trim() === '') continue;
      if (odd.length === 0) says.set(control, `the output's ${key} now has its value`);
      else lost.set(control, `${quoteAll(odd)} is not a plain address: write it into the output's ${key}`);
    }

  const whose = service === undefined ? 'was for a form service' : `was for ${service}`;
  const isBookkeeping = bookkeepingIn(controls);
  const about = (control: Control): Remark | undefined => {
    const name = control.name.toLowerCase();
    const value = givenIn(control);
    const at = quote(control.name);
    if (forwardTo) {
      if (redirects.includes(name))
        return note(`${at} named the page to show next; ${says.get(control) ?? quote(value)}`);
      const stale = `${at} is a token of ${forwardTo.host} and is left out: check that the host accepts submissions without it`;
      return isStaleToken(control) ? toDo(stale) : undefined;
    }
    if (isStaleToken(control)) return note(`${at} is a token of the previous server`);
    const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
    if (task && value !== '') return toDo(`${at} ${whose}; ${task.replace('VALUE', () => quote(value))}`);
    const left = lost.get(control);
    if (left) return toDo(`${at} ${whose}; ${left}`);
    if (special.includes(name) || task) return note(`${at} ${whose}${withValue(says.get(control), value)}`);
    if (isBookkeeping(control)) return note(`${at} was for the previous program`);
    if (meaningless.test(name) || (service !== undefined && name.startsWith('_')))
      return note(`${at} ${whose}${withValue(undefined, isUntold.test(name) ? '' : value)}`);
    return undefined;
  };
  return {
    redirect: moved,
    subject: subject && givenIn(subject),
    replyTo: reply && givenIn(reply),
    cc: copied('cc'),
    bcc: copied('bcc'),
    leftOut: new Map([
      ...hidden.flatMap((control) => {
        const remark = about(control);
        return remark ? [[control, remark] as const] : [];
      }),
      ...captchaAnswers(controls),
    ]),
    remarks: when(
      rest !== '',
      toDo(
        `the form's address contains ${quote(rest)}, which is not in the config: check whether you need it`,
      ),
    ),
  };
}

/** Keys and the form's own name need no remark. */
const isUntold = /key$|^form-name$/;

const givenIn = ({ element }: Control) => element.attributes.get('value')?.trim() ?? '';

const addressesOf = (list: string): readonly string[] =>
  list
    .split(/[,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');

const withValue = (says: string | undefined, value: string) =>
  says ? `; ${says}` : value === '' ? '' : `, with ${quote(value)}`;

function ledTo(address: string, moved: MovedRedirect | undefined): string {
  if (!moved)
    return `this redirected to ${quote(address)}, the service's own page: write a confirmation instead`;
  return moved.isKnown ? 'redirect now has its value' : 'complete the redirect in the comment';
}

/** Captcha widgets add these fields, and some pages contain them. */
const captchaAnswers = (controls: readonly Control[]) =>
  controls
    .filter(({ name }) => captchaTokens.test(name))
    .map(
      (control) =>
        [
          control,
          note(`${quote(control.name)} is a captcha's response field, which its widget adds`),
        ] as const,
    );

/** Tokens by which a server recognises its forms and visitors. The page's copy is stale by now. */
const token =
  /^(csrf|xsrf|_?(csrf|xsrf)[-_]?(token|test_name|param|key|name|value)?|csrfmiddlewaretoken|authenticity_token|(form)?_?token|__?requestverificationtoken|craft_csrf_token|security_token|antispam_token|form_build_id|form_token|form_key|honeypot_time|antibot_key|captcha_(sid|token)|hs_context|gform_unique_id|state_\d+|version_hash|forminator_nonce|phpsessid|j?sessionid|session_id|__(viewstate\w*|eventvalidation|trustedproperties|state|session|currentpage|previouspage))$/i;

/** `contact[_token]`, `tx_form[contact][__state]`, `_fluentform_3_fluentformnonce`, `_wpnonce-et-pb-contact`. */
const bracketedToken = /\[(_token|token|nonce|csrf\w*|__(state|session|trustedproperties))\]$/i;
const nonce = /(^|[^a-z])(wp)?nonce|nonce$/i;

/** Joomla uses a hash as the name of its token. */
const isHash = ({ name, element }: Control) =>
  /^[\da-f]{32}$/.test(name) && element.attributes.get('value') === '1';

const isStaleToken = (control: Control): boolean =>
  token.test(control.name) ||
  bracketedToken.test(control.name) ||
  nonce.test(control.name) ||
  isHash(control);

/** Data that a form plugin or framework writes about the form for its own use. */
const bookkeeping =
  /^(utf8|_method|_wp_http_referer|_wpcf7\w*|(_wpcf7_)?ak_\w+|__(eventtarget|eventargument|lastfocus|scrollposition[xy]|vieweditmode)|gform_\w+|is_submit_\d+|wpforms\[(id|author|post_id|submit|page_title|page_url|url_referer|complete)\]|frm_\w+|item_key|item_meta\[0\]|unique_id|__fluent_form_embded_post_id|_fluentform_\w+|et_pb_contact\w*_(submit|email_fields|email_hidden_fields)_\d+|et_pb_contactform_submit_\d+|referer_title|queried_id|render_id|forminator_\w+|nf_\w+|mailpoet_\w+|tx_\w+\[__\w+\](\[.*\])?|__referrer(\[.*\])?)$/i;

/** Names that are bookkeeping if other names of the same plugin are present, but may be data elsewhere. */
const companions: readonly (readonly [names: RegExp, sign: RegExp])[] = [
  [/^form_id$/, /^(form_build_id|frm_action|queried_id|forminator_nonce)$/],
  [/^post_id$/, /^(queried_id|form_fields\[)/],
  [/^(page_id|form_type|current_url|action|referer_url)$/, /^forminator_nonce$/],
  [/^(page_title|page_url|page_id|url_referer)$/, /^wpforms\[/],
  [/^(option|task|return|view|id)$/, /^(jform\[|[\da-f]{32}$)/],
];

/** Recognises bookkeeping among the controls of a form. */
function bookkeepingIn(all: readonly Control[]) {
  const signs = companions.filter(([, sign]) => all.some(({ name }) => sign.test(name)));
  return ({ name }: Control): boolean => bookkeeping.test(name) || signs.some(([names]) => names.test(name));
}
