import type { Form } from '@form-relay/core/form';
import { html } from '@form-relay/core/html/html';
import { publicPathOf } from '@form-relay/core/http/address';
import type { Locale } from '@form-relay/core/messages/message';
import { formTag, type Printing, printedForm, scriptTag, styleLink } from '@form-relay/dry-run/printed_form';
import type {} from '@form-relay/languages/index';
import { publicUrl } from '@form-relay/schema/variables';
import { CommandFailed } from './command_failed.ts';
import { findForm, loadConfig } from './load_config.ts';
import type { GlobalOptions } from './usage.ts';

export interface PrintOptions extends GlobalOptions, Omit<Printing, 'locale'> {
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
  const form = findForm(await loadConfig(options.config), name);
  const { style = true, tag, lang } = options;
  const base = (options.baseUrl ?? ownPath()).replace(/\/+$/, '');
  const locale = localeFor(form, lang);
  const markup = tag
    ? html`${style && html`${styleLink(base)}\n`}${scriptTag(base)}\n${formTag(form, base, locale)}\n`
    : printedForm(form, base, { ...options, locale });
  process.stdout.write(String(markup));
}

/** The path at which pages of the relay's own site reach the relay. */
function ownPath(): string {
  const read = publicUrl(process.env.PUBLIC_URL ?? '');
  return read.ok ? publicPathOf(read.value) : '';
}

/** Printed forms ask for answers in their own language. */
function localeFor(form: Form, wanted: string | undefined): Locale {
  const first = form.locale(undefined);
  if (wanted === undefined) return first;
  const languages = form.provided.get('languages');
  const { language = 'en' } = first;
  const locale = languages
    ? languages.localeOf(wanted)
    : wanted.split('-', 1)[0] === language
      ? first
      : undefined;
  if (locale) return locale;
  const spoken = languages?.offered ?? [language];
  throw new CommandFailed(`"${form.id}" does not speak "${wanted}"; it speaks ${spoken.join(', ')}`);
}
