/** Hidden fields that a server wrote for itself. */
import type { Control } from '../check/form_controls.ts';

/** Tokens by which a server knows its own forms, and one visitor's: what the page holds is stale by now. */
const token =
  /^(csrf|xsrf|_?(csrf|xsrf)[-_]?(token|test_name|param|key|name|value)?|csrfmiddlewaretoken|authenticity_token|(form)?_?token|__?requestverificationtoken|craft_csrf_token|security_token|antispam_token|form_build_id|form_token|form_key|honeypot_time|antibot_key|captcha_(sid|token)|hs_context|gform_unique_id|state_\d+|version_hash|forminator_nonce|phpsessid|j?sessionid|session_id|__(viewstate\w*|eventvalidation|trustedproperties|state|session|currentpage|previouspage))$/i;

/** `contact[_token]`, `tx_form[contact][__state]`, `_fluentform_3_fluentformnonce`, `_wpnonce-et-pb-contact`. */
const bracketedToken = /\[(_token|token|nonce|csrf\w*|__(state|session|trustedproperties))\]$/i;
const nonce = /(^|[^a-z])(wp)?nonce|nonce$/i;

/** Joomla names its token by a hash. */
const isHash = ({ name, element }: Control) =>
  /^[\da-f]{32}$/.test(name) && element.attributes.get('value') === '1';

export const isStaleToken = (control: Control): boolean =>
  token.test(control.name) ||
  bracketedToken.test(control.name) ||
  nonce.test(control.name) ||
  isHash(control);

/** What a form plugin or framework writes about the form, and reads again. */
const bookkeeping =
  /^(utf8|_method|_wp_http_referer|_wpcf7\w*|(_wpcf7_)?ak_\w+|__(eventtarget|eventargument|lastfocus|scrollposition[xy]|vieweditmode)|gform_\w+|is_submit_\d+|wpforms\[(id|author|post_id|submit|page_title|page_url|url_referer|complete)\]|frm_\w+|item_key|item_meta\[0\]|unique_id|__fluent_form_embded_post_id|_fluentform_\w+|et_pb_contact\w*_(submit|email_fields|email_hidden_fields)_\d+|et_pb_contactform_submit_\d+|referer_title|queried_id|render_id|forminator_\w+|nf_\w+|mailpoet_\w+|tx_\w+\[__\w+\](\[.*\])?|__referrer(\[.*\])?)$/i;

/** Names that are bookkeeping beside others of the same plugin, and might be data elsewhere. */
const beside: readonly (readonly [names: RegExp, sign: RegExp])[] = [
  [/^form_id$/, /^(form_build_id|frm_action|queried_id|forminator_nonce)$/],
  [/^post_id$/, /^(queried_id|form_fields\[)/],
  [/^(page_id|form_type|current_url|action|referer_url)$/, /^forminator_nonce$/],
  [/^(page_title|page_url|page_id|url_referer)$/, /^wpforms\[/],
  [/^(option|task|return|view|id)$/, /^(jform\[|[\da-f]{32}$)/],
];

export const isBookkeeping = ({ name }: Control, all: readonly Control[]): boolean =>
  bookkeeping.test(name) ||
  beside.some(([names, sign]) => names.test(name) && all.some((other) => sign.test(other.name)));
