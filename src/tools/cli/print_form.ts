import type { Form } from '../../form.ts';
import { type Html, html, inlineScript } from '../../html.ts';
import { chooseLanguage } from '../../messages/languages.ts';
import { pageAddress } from '../../views/api_urls.ts';
import { withoutHtmxCode } from '../../views/browser_code.ts';
import { tokenInput } from '../../views/for_script.ts';
import { renderForm } from '../../views/form_view.ts';
import type { Medium } from '../../views/medium.ts';
import { tokenLoader } from '../../views/token_loader_view.ts';
import { formTag, scriptTag, styleLink } from '../form_tag.ts';
import { CommandFailed } from './command_failed.ts';
import { findForm, loadConfig } from './load_config.ts';
import type { GlobalOptions } from './usage.ts';

export interface PrintOptions extends GlobalOptions {
  /** The relay's address, for pages of another origin. */
  readonly baseUrl?: string;
  /** Also print what loads the script, or with htmx the script that does what htmx would. */
  readonly script?: boolean;
  /** `false`: without the link to the stylesheet, which comes with all that is pasted as it is. Default: with it. */
  readonly style?: boolean;
  /** Only the tag that the script turns into the form. */
  readonly tag?: boolean;
  /** For a page with htmx. */
  readonly htmx?: boolean;
  /** For a page without any script. */
  readonly plain?: boolean;
  /** Of a form in several languages, one. Default: the first. */
  readonly lang?: string;
}

/**
 * Prints a form to paste into a page: the `<form>` element, or the tag in whose place it appears. The page fetches a
 * min-fill token, since a printed one would expire.
 */
export async function printForm(name: string, options: PrintOptions): Promise<void> {
  const form = inLanguage(findForm(await loadConfig(options.config), name), options.lang);
  const base = (options.baseUrl ?? '').replace(/\/+$/, '');
  process.stdout.write(String(options.tag ? tag(form, base, options) : formElement(form, base, options)));
}

export function formElement(
  form: Form,
  base: string,
  { script: withScript = false, style, htmx, plain }: PrintOptions,
): Html {
  if (plain) refuseOrWarn(form, base);
  const medium: Medium = plain ? 'plain' : htmx ? 'paste' : 'script';
  const markup = renderForm(form, {
    base,
    values: new Map(),
    seen: [],
    errors: [],
    messages: [],
    token: htmx ? tokenLoader(form, base) : plain ? undefined : tokenInput(form, undefined),
    medium,
    isScriptless: plain,
  });
  if (!withScript && !plain) return markup;
  const link = linkTo(base, style);
  if (plain) return html`${link}${markup}`;
  return htmx
    ? html`${link}${markup}${inlineScript(withoutHtmxCode)}\n`
    : html`${link}${scriptTag(base)}\n${markup}`;
}

const tag = (form: Form, base: string, { style }: PrintOptions) =>
  html`${linkTo(base, style)}${scriptTag(base)}\n${formTag(form, base)}\n`;

const linkTo = (base: string, style = true) => style && html`${styleLink(base)}\n`;

/** What is printed asks for answers in its own language. */
function inLanguage(form: Form, wanted = form.language): Form {
  const { id, variants } = form;
  const languages = variants.size > 0 ? [...variants.keys()] : [form.language];
  const tag = chooseLanguage([wanted], languages);
  if (tag === undefined) {
    throw new CommandFailed(`"${id}" does not speak "${wanted}"; it speaks ${languages.join(', ')}`);
  }
  return variants.get(tag) ?? form;
}

function refuseOrWarn(form: Form, base: string): void {
  if (form.spam?.minFill) {
    throw new CommandFailed(
      `"${form.id}" uses spam.min_fill_seconds: a page without script cannot hold a fresh token. Link to ` +
        `${pageAddress(base, form)} instead (it is a complete page)`,
    );
  }
  const { proof } = form;
  if (proof && proof.when !== 'asked' && proof.withoutScript !== 'allow') {
    const becomes = proof.withoutScript === 'refuse' ? 'is refused' : 'comes back with a question';
    warn(
      `a page without script solves no puzzle, so what it sends to "${form.id}" ${becomes} (without_script)`,
    );
  }
  if (form.captcha?.siteKey) warn(`the captcha of "${form.id}" needs JavaScript: its script is printed, too`);
}

const warn = (message: string) => process.stderr.write(`warning: ${message}\n`);
