/** The page that visitors of a Typeform form see after sending it. */

import { parseUrl } from '@form-relay/base/url';
import { quote, quoteAll } from '../check/page_form.ts';
import { isAddress } from '../moving_in/addresses.ts';
import { note, type Remark, toDo, when } from '../moving_in/config_text.ts';
import type { MovedField } from '../moving_in/fields.ts';
import { mail } from '../moving_in/outputs.ts';
import { all, at, type Place, textAt, textOf, use } from './ledger.ts';

interface Ending {
  readonly confirmation: string | undefined;
  readonly redirect: string | undefined;
  readonly remarks: readonly Remark[];
}

/** The first ending: its text, with its button as a link, or the URL that it redirects visitors to. */
export function endingOf(form: Place, path: string | undefined): Ending | undefined {
  const [screen] = path === undefined ? [] : at(form, path);
  if (!screen) return undefined;
  if (textAt(screen, 'type') === 'url_redirect')
    return { confirmation: undefined, redirect: textAt(screen, 'properties.redirect_url'), remarks: [] };
  const address = textAt(screen, 'properties.redirect_url');
  const isShown = textAt(screen, 'properties.show_button') !== 'false';
  const mode = textAt(screen, 'properties.button_mode') ?? '';
  const label = textAt(screen, 'properties.button_text');
  const words = [textAt(screen, 'title'), textAt(screen, 'properties.description')].filter(Boolean).join(' ');
  const host = parseUrl(address ?? '')?.hostname ?? '';
  const isAdvertisement = /(^|\.)typeform\.com$/.test(host) || /create your own\b.*free/i.test(words);
  if (isAdvertisement) {
    use(screen);
    const text = 'the ending is left out, because it advertises Typeform; write your text as confirmation';
    return { confirmation: undefined, redirect: undefined, remarks: [note(text)] };
  }
  const leads = isShown && address !== undefined && /^(default_)?redirect$|^$/.test(mode);
  const link =
    leads && /^https?:\/\/[^\s()]+$/.test(address)
      ? `[${(label ?? 'Next').replaceAll(/[[\]]/g, '')}](${address})`
      : '';
  const hasLost = address !== undefined && link === '';
  return {
    confirmation: [words, link].filter(Boolean).join(' ') || undefined,
    redirect: undefined,
    remarks: [
      ...when(hasLost, note(`the ending's button, to ${quote(address ?? '')}, is left out`)),
      ...when(
        link === '' && !hasLost && isShown && label !== undefined,
        note(`the ending's button ${quote(label ?? '')} is left out`),
      ),
    ],
  };
}

/** The recipients of mails about submissions, and the mails. */

export interface NotifiedPaths {
  readonly recipients?: string;
  readonly subject?: string;
  readonly reply_to?: string;
  readonly message?: string;
  readonly enabled?: string;
}

interface Made {
  readonly fields: readonly MovedField[];
  /** The names of fields, keyed by the references that Typeform's templates use. */
  readonly names: ReadonlyMap<string, string>;
  readonly title: string | undefined;
}

export function mailOf(form: Place, paths: NotifiedPaths, { fields, names, title }: Made) {
  // Typeform writes {{field:reference}} and {{form:title}}.
  const named = (text: string | undefined) =>
    text
      ?.replaceAll(/\{\{\s*field:([^{}\s]+)\s*\}\}/g, (whole, ref) =>
        names.has(ref) ? `{{${names.get(ref)}}}` : whole,
      )
      .replaceAll(/\{\{\s*form:title\s*\}\}/g, () => title ?? '');
  const places = all(form, paths.recipients);
  for (const place of places) use(place);
  const written = places
    .flatMap((place) => (Array.isArray(place.value) ? place.value : [textOf(place)]))
    .flatMap((one) => String(one).split(/[,;]/))
    .map((one) => one.trim())
    .filter(Boolean);
  const recipients = [...new Set(written.filter(isAddress))];
  const others = [...new Set(written.filter((one) => !isAddress(one)))];
  const replies = at(form, paths.reply_to).flatMap(({ value }) => value);
  for (const place of at(form, paths.reply_to)) use(place);
  const [reply] = replies.map((one) => named(String(one))?.trim() ?? '');
  const field = /^\{\{(.*)\}\}$/s.exec(reply ?? '')?.[1];
  const isKnown = reply !== undefined && (isAddress(reply) || fields.some(({ name }) => name === field));
  const message = textAt(form, paths.message);
  const isOff = textAt(form, paths.enabled) === 'false';
  const output = mail(recipients, fields, {
    subject: named(textAt(form, paths.subject)),
    replyTo: isKnown ? (field ?? reply) : undefined,
    cc: [],
    bcc: [],
  });
  const unknown = `mails went to ${quoteAll(others)}, which is not a plain address: write the address into the output's to`;
  const unsaid = `mails had the reply address ${quote(reply ?? '')}: write it into the output's reply_to`;
  const said = `mails had the text ${quote(message ?? '')}: write your text into the output's text`;
  return {
    output,
    remarks: [
      ...when(others.length > 0, toDo(unknown)),
      ...when(reply !== undefined && reply !== '' && !isKnown, toDo(unsaid)),
      ...when(message !== undefined, note(said)),
      ...when(isOff, note('the service sent no mails; the output here sends them')),
    ],
  };
}
