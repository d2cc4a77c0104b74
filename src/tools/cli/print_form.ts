import type { Form } from '../../form.ts';
import { html, inlineScript } from '../../html.ts';
import { chooseLanguage } from '../../messages/languages.ts';
import { pageAddress } from '../../views/api_urls.ts';
import { withoutHtmxCode } from '../../views/browser_code.ts';
import { renderForm } from '../../views/form_view.ts';
import { tokenLoader } from '../../views/token_loader_view.ts';
import { CommandFailed } from './command_failed.ts';
import { findForm, loadConfig } from './load_config.ts';
import type { GlobalOptions } from './usage.ts';

export interface PrintOptions extends GlobalOptions {
  /** The relay's address, for pages of another origin. */
  readonly baseUrl?: string;
  /** Also print the script that does what htmx would. */
  readonly script?: boolean;
  /** For a page without any script. */
  readonly plain?: boolean;
  /** Of a form in several languages, one. Default: the first. */
  readonly lang?: string;
}

/**
 * Prints the `<form>` element of a form, to paste into a page. The page fetches a min-fill token, since a
 * printed one would expire.
 */
export async function printForm(
  name: string,
  { baseUrl = '', script: withScript = false, plain = false, lang, config }: PrintOptions,
): Promise<void> {
  const form = inLanguage(findForm(await loadConfig(config), name), lang);
  const base = baseUrl.replace(/\/+$/, '');
  if (plain && form.spam?.minFill) {
    throw new CommandFailed(
      `"${name}" uses spam.min_fill_seconds: a page without script cannot hold a fresh token. Link to ` +
        `${pageAddress(base, form)} instead (it is a complete page)`,
    );
  }
  if (plain && form.captcha?.siteKey) {
    warn(`the captcha of "${name}" needs JavaScript: its script is printed, too`);
  }
  const markup = renderForm(form, {
    base,
    values: new Map(),
    seen: [],
    errors: [],
    messages: [],
    token: tokenLoader(form, base),
    medium: plain ? 'plain' : 'paste',
  });
  process.stdout.write(`${html`${markup}${withScript && html`${inlineScript(withoutHtmxCode)}\n`}`}`);
}

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

const warn = (message: string) => process.stderr.write(`warning: ${message}\n`);
