import { tokenWaitCode } from '../../../built/inline.ts';
import { apiPath, pageAddress } from '../../api_urls.ts';
import { attributes, type Html, html, inlineScript } from '../../base/html.ts';
import { withOwn } from '../../fields/classes.ts';
import type { Addition, Form, FormView } from '../../form.ts';
import { sayAround } from '../../messages/message.ts';
import { captcha } from '../captcha/captcha.ts';
import { minFill } from '../min_fill.ts';
import { proof } from '../proof/proof.ts';
import { tokenInput } from './fresh_token.ts';

/** The token's markup in a form that is printed for the owner's page: that page is built once, and fetches its token. */
export function printedToken(form: Form, { base, medium }: FormView): Addition {
  if (medium === 'script') return { inputs: html`${tokenInput(form, undefined)}\n` };
  const loader = medium === 'paste' ? tokenLoader(form, base) : undefined;
  if (!loader) return {};
  return {
    before: minFill.of(form) && withoutScript(form, base),
    inputs: html`${loader}\n`,
    scripts: inlineScript(tokenWaitCode(form.say)),
  };
}

/**
 * For pages that are built once: fetches a token when the page is shown, and again where that failed
 * (inline/token_wait.ts).
 */
function tokenLoader(form: Form, base: string): Html | undefined {
  const timed = minFill.of(form);
  const asked = proof.of(form);
  // If only challenged visitors solve a puzzle, the token comes with the challenge.
  const name = timed?.tokenField ?? (asked?.when === 'asked' ? undefined : asked?.tokenField);
  if (name === undefined) return undefined;
  return html`<input${attributes({
    type: 'hidden',
    name,
    'data-min-fill-ms': timed?.minFillMs ?? 0,
    'hx-get': apiPath(base, 'token', form),
    'hx-trigger': 'load, retry',
    // A request that hangs must not keep its successor from being made.
    'hx-sync': 'this:replace',
    'hx-swap': 'outerHTML',
    // htmx 4 would put an error in its place.
    'hx-status:4xx': 'swap:none',
    'hx-status:5xx': 'swap:none',
  })}>`;
}

/**
 * Without JavaScript, nothing fetches the token, and the relay would drop what is sent without a word. So such
 * visitors first read where to go, and a required list with nothing to choose keeps their browsers from sending.
 */
function withoutScript(form: Form, base: string): Html {
  const { say, classes } = form;
  const [before, after] = sayAround(say, { code: 'without_script' }, 'link');
  const link = html`<a${attributes({ href: pageAddress(base, form) })}>${say({ code: 'without_script_link' })}</a>`;
  // The relay's own page has the captcha, too; where only those see it who are doubted, there is another way.
  const hasWay = captcha.of(form)?.onlyInDoubt !== false;
  const way = hasWay && html`<p>${before}${link}${after}</p>\n`;
  const stop = html`<select${attributes({ required: true, class: classes?.select })}><option value="">${say({ code: 'without_script_option' })}</option></select>`;
  return html`<noscript>
${way}<div class="${withOwn('field', classes?.field)}"><label${attributes({ class: classes?.label })}>${say({ code: 'without_script_label' })} ${stop}</label></div>
</noscript>
`;
}
