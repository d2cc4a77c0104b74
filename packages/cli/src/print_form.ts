import { type Form, html } from '@form-relay/relay/base';
import {
  chooseLanguage,
  formTag,
  type Printing,
  printedForm,
  scriptTag,
  styleLink,
} from '@form-relay/relay/pages';
import { CommandFailed } from './command_failed.ts';
import { findForm, loadConfig } from './load_config.ts';
import type { GlobalOptions } from './usage.ts';

export interface PrintOptions extends GlobalOptions, Printing {
  /** The relay's address, for pages of another origin. */
  readonly baseUrl?: string;
  /** Only the tag that the script turns into the form. */
  readonly tag?: boolean;
  /** The language, for a form that has several. Default: the first. */
  readonly lang?: string;
}

/**
 * Prints a form to paste into a page: the `<form>` element, or the tag in whose place it appears. The page fetches a
 * min-fill token, since a printed one would expire.
 */
export async function printForm(name: string, options: PrintOptions): Promise<void> {
  const form = inLanguage(findForm(await loadConfig(options.config), name), options.lang);
  const base = (options.baseUrl ?? '').replace(/\/+$/, '');
  process.stdout.write(String((options.tag ? tag : printedForm)(form, base, options)));
}

const tag = (form: Form, base: string, { style = true }: PrintOptions) =>
  html`${style && html`${styleLink(base)}\n`}${scriptTag(base)}\n${formTag(form, base)}\n`;

/** Printed forms ask for answers in their own language. */
function inLanguage(form: Form, wanted = form.language): Form {
  const { id, variants } = form;
  const languages = variants.size > 0 ? [...variants.keys()] : [form.language];
  const tag = chooseLanguage([wanted], languages);
  if (tag === undefined) {
    throw new CommandFailed(`"${id}" does not speak "${wanted}"; it speaks ${languages.join(', ')}`);
  }
  return variants.get(tag) ?? form;
}
